/** What a voter sees after voting. */

import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { ttlCache } from '../../domain/ttl-cache.ts';
import type { Standing } from '../../domain/votes/standing.ts';
import { standingText } from '../../domain/votes/standing-messages.ts';
import type { SiteDeps } from '../deps.ts';
import type { Board, GuildRank } from '../home/board.ts';
import { formatNumber } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import type { PageContext } from '../layout/page.ts';
import type { Person } from '../session.ts';
import { afterMessages } from './after-messages.ts';
import { createOthers, type OtherGuild } from './others.ts';

/** `guildRank`: null for a community that is not in the listing. `isNew`: the vote was cast a moment ago. */
export type AfterVote = {
  standing: Standing;
  guildRank: GuildRank | null;
  others: readonly OtherGuild[];
  isNew: boolean;
};

type ReadAfterVote = (
  guild: Guild,
  person: Person,
  vote: { votedAt: Instant; votesThisMonth: number },
) => Promise<AfterVote>;

const KEPT_MS = 30 * SECOND_MS;
const MAX_KEPT = 1000;

/** The tick is animated once, not on every visit within the hour. */
const NEW_MS = 10 * SECOND_MS;

/** The votes of the month are not counted again when the page is reloaded, only after a new vote. */
export function createAfterVote({ store, clock }: SiteDeps, board: Board): ReadAfterVote {
  const standings = ttlCache<Standing>({ clock, maxAgeMs: KEPT_MS, maxEntries: MAX_KEPT });
  const findOthers = createOthers(store, board);
  return async ({ guildId }, { userId }, { votedAt, votesThisMonth }) => {
    const now = clock();
    const read = () => store.votes.standing(guildId, userId, now);
    const [standing, guildRank, others] = await Promise.all([
      standings.get(`${guildId} ${userId} ${votedAt}`, read),
      board.rankOf(guildId, votesThisMonth),
      findOthers(guildId, userId, now),
    ]);
    return { standing, guildRank, others, isNew: now - votedAt < NEW_MS };
  };
}

/** The numbers of the voter and of the community, and the way to the next rank. */
export function voteFigures({ locale }: PageContext, { standing, guildRank }: AfterVote): Html {
  const text = afterMessages[locale];
  const { totalVotes, votesThisMonth, rank, rankBefore, next } = standing;
  const { streak, progress } = standingText(locale, standing);
  return html`<dl class="vote-figures">
${figure(text.total, formatNumber(totalVotes, locale), null)}
${figure(text.streak, streak, null)}
${rank !== null && figure(text.rank, text.place(rank), text.moved(rank, rankBefore))}
${guildRank !== null && figure(text.guildRank, text.place(guildRank.rank), text.moved(guildRank.rank, guildRank.rankBefore))}
</dl>
${progress !== null && html`<div class="vote-next"><p id="next-rank">${progress}</p>${next && html`<progress max="${votesThisMonth + next.votes}" value="${votesThisMonth}" aria-labelledby="next-rank"></progress>`}</div>`}`;
}

function figure(term: string, value: string, hint: string | null): Html {
  return html`<div><dt>${term}</dt><dd>${value}${hint !== null && html` <span class="vote-moved">${hint}</span>`}</dd></div>
`;
}

/** Shown by the script where the browser has notifications. Permission is only requested by a click. */
export function notifyButton({ locale }: PageContext, guild: { name: string }): Html {
  const text = afterMessages[locale];
  return html`<div class="vote-notify" hidden data-notify-box>
<button type="button" class="quiet" aria-pressed="false" data-notify data-on="${text.notifyOn}" data-off="${text.notifyOff}" data-title="${text.notificationTitle(guild.name)}">${text.notifyOff}</button>
<p class="muted small-text" role="status" data-notify-status data-blocked="${text.notifyBlocked}" data-keep="${text.notifyKeep}"></p>
</div>`;
}
