/** What a voter sees after voting. */
import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { ttlCache } from '../../domain/ttl-cache.ts';
import type { Standing } from '../../store/votes.ts';
import type { SiteDeps } from '../deps.ts';
import type { Board, GuildRank } from '../home/board.ts';
import { formatNumber } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import type { PageContext } from '../layout/page.ts';
import type { Person } from '../session.ts';

/** `guildRank`: null for a community that is not in the listing. */
export type AfterVote = { standing: Standing; guildRank: GuildRank | null };

type ReadAfterVote = (
  guild: Guild,
  person: Person,
  vote: { votedAt: Instant; votesThisMonth: number },
) => Promise<AfterVote>;

const KEPT_MS = 30 * SECOND_MS;
const MAX_KEPT = 1000;

/** The votes of the month are not counted again when the page is reloaded, only after a new vote. */
export function createAfterVote({ store, clock }: SiteDeps, board: Board): ReadAfterVote {
  const standings = ttlCache<Standing>({ clock, maxAgeMs: KEPT_MS, maxEntries: MAX_KEPT });
  return async ({ guildId }, { userId }, { votedAt, votesThisMonth }) => {
    const read = () => store.votes.standing(guildId, userId, clock());
    const [standing, guildRank] = await Promise.all([
      standings.get(`${guildId} ${userId} ${votedAt}`, read),
      board.rankOf(guildId, votesThisMonth),
    ]);
    return { standing, guildRank };
  };
}

/** The numbers of the voter and of the community. */
export function voteFigures({ locale }: PageContext, { standing, guildRank }: AfterVote): Html {
  const text = afterMessages[locale];
  const { totalVotes, streakDays, rank, rankBefore } = standing;
  return html`<dl class="vote-figures">
${figure(text.total, formatNumber(totalVotes, locale), null)}
${figure(text.streak, text.days(streakDays), null)}
${rank !== null && figure(text.rank, text.place(rank), text.moved(rank, rankBefore))}
${guildRank !== null && figure(text.guildRank, text.place(guildRank.rank), text.moved(guildRank.rank, guildRank.rankBefore))}
</dl>`;
}

function figure(term: string, value: string, hint: string | null): Html {
  return html`<div><dt>${term}</dt><dd>${value}${hint !== null && html` <span class="vote-moved">${hint}</span>`}</dd></div>
`;
}

/** A link to copy. The script adds a button that shares it, or copies it where sharing is not possible. */
export function shareLink({ locale }: PageContext, guild: { name: string }, address: string): Html {
  const text = afterMessages[locale];
  return html`<div class="vote-share stack">
<label for="share-link">${text.share}</label>
<div class="vote-share-row"><input type="text" id="share-link" readonly value="${address}">
<button type="button" class="secondary" hidden data-share="${address}" data-share-title="${text.shareTitle(guild.name)}" data-copied="${text.copied}" data-share-label="${text.shareAction}">${text.copy}</button></div>
</div>`;
}

/** Shown by the script where the browser has notifications. Permission is only requested by a click. */
export function notifyButton({ locale }: PageContext, guild: { name: string }): Html {
  const text = afterMessages[locale];
  return html`<div class="vote-notify" hidden data-notify-box>
<button type="button" class="quiet" aria-pressed="false" data-notify data-on="${text.notifyOn}" data-off="${text.notifyOff}" data-title="${text.notificationTitle(guild.name)}">${text.notifyOff}</button>
<p class="muted small-text" role="status" data-notify-status data-blocked="${text.notifyBlocked}" data-keep="${text.notifyKeep}"></p>
</div>`;
}

const en = {
  total: 'Your votes',
  streak: 'Your streak',
  days: (days: number) => (days === 1 ? '1 day' : `${formatNumber(days, 'en')} days`),
  rank: 'Your rank this month',
  guildRank: 'Community rank',
  place: (rank: number) => `#${formatNumber(rank, 'en')}`,
  /** How the vote changed a rank; null if it did not. `before` is null for a first vote of the month. */
  moved: (rank: number, before: number | null) =>
    before === null || before <= rank ? null : `up ${formatNumber(before - rank, 'en')}`,
  share: 'Share this community',
  shareAction: 'Share',
  shareTitle: (guild: string) => `Vote for ${guild}`,
  copy: 'Copy',
  copied: 'Copied',
  notifyOff: 'Notify me when I can vote again',
  notifyOn: 'Notification on. Turn off',
  notifyBlocked: 'Your browser blocks notifications from this site. You can allow them in its settings.',
  notifyKeep: 'Keep this tab open to be notified.',
  notificationTitle: (guild: string) => `You can vote for ${guild} again`,
  /** The title of the tab while the time runs; `{time}` is replaced. */
  countdownTitle: (guild: string) => `{time} · ${guild}`,
  readyTitle: (guild: string) => `Vote now · ${guild}`,
};

export const afterMessages: Record<Locale, typeof en> = {
  en,
  fr: {
    total: 'Vos votes',
    streak: 'Votre série',
    days: (days) => (days < 2 ? `${days} jour` : `${formatNumber(days, 'fr')} jours`),
    rank: 'Votre rang ce mois-ci',
    guildRank: 'Rang de la communauté',
    place: (rank) => `n°\u00A0${formatNumber(rank, 'fr')}`,
    moved: (rank, before) =>
      before === null || before <= rank ? null : `+${formatNumber(before - rank, 'fr')}`,
    share: 'Partager cette communauté',
    shareAction: 'Partager',
    shareTitle: (guild) => `Votez pour ${guild}`,
    copy: 'Copier',
    copied: 'Copié',
    notifyOff: 'Me prévenir quand je pourrai revoter',
    notifyOn: 'Notification activée. Désactiver',
    notifyBlocked:
      'Votre navigateur bloque les notifications de ce site. Vous pouvez les autoriser dans ses paramètres.',
    notifyKeep: 'Gardez cet onglet ouvert pour recevoir la notification.',
    notificationTitle: (guild) => `Vous pouvez de nouveau voter pour ${guild}`,
    countdownTitle: (guild) => `{time} · ${guild}`,
    readyTitle: (guild) => `Votez maintenant · ${guild}`,
  },
};
