/** Other communities to vote for, after a vote: from the listing in memory, those with the same tags first. */
import type { Instant } from '../../domain/clock.ts';
import { isListed } from '../../domain/guild.ts';
import { COOLDOWN_MS } from '../../domain/votes/vote.ts';
import { votePath } from '../../domain/votes/vote-link.ts';
import type { Store } from '../../store/store.ts';
import type { Board } from '../home/board.ts';
import type { BoardGuild } from '../home/listing.ts';
import { guildIcon } from '../layout/avatar.ts';
import { type Html, html } from '../layout/html.ts';
import type { PageContext } from '../layout/page.ts';
import { afterMessages } from './after-messages.ts';

export type OtherGuild = Pick<BoardGuild, 'guildId' | 'name' | 'icon' | 'votes' | 'tags'>;

const SHOWN = 3;
/** Some of them may have been suspended since the listing was read, or the user may have voted for them already. */
const CANDIDATES = 8;

type FindOthers = (guildId: string, userId: string, now: Instant) => Promise<OtherGuild[]>;

export function createOthers(store: Store, board: Board): FindOthers {
  const candidatesOf = createCandidates();
  return async (guildId, userId, now) => {
    const { byVotes } = await board.read();
    const candidates = candidatesOf(byVotes, guildId);
    const ids = candidates.map((guild) => guild.guildId);
    const lastVotes = await store.listing.lastVotes(userId, ids, now - COOLDOWN_MS);
    const others: OtherGuild[] = [];
    for (const candidate of candidates) {
      if (others.length === SHOWN) break;
      if (lastVotes.has(candidate.guildId)) continue;
      const guild = await store.guilds.find(candidate.guildId);
      if (guild && isListed(guild)) others.push(candidate);
    }
    return others;
  };
}

/** A rare tag is searched for in all communities, so each search is done once for each state of the listing. */
function createCandidates() {
  const found = new WeakMap<readonly BoardGuild[], Map<string, BoardGuild[]>>();

  function withTag(byVotes: readonly BoardGuild[], tag: string): BoardGuild[] {
    const ofTags = found.get(byVotes) ?? new Map<string, BoardGuild[]>();
    found.set(byVotes, ofTags);
    const known = ofTags.get(tag) ?? firstOf(byVotes, ({ tags }) => tags.includes(tag));
    ofTags.set(tag, known);
    return known;
  }

  return (byVotes: readonly BoardGuild[], guildId: string): BoardGuild[] => {
    const tags = byVotes.find((guild) => guild.guildId === guildId)?.tags ?? [];
    const shared = (guild: BoardGuild) => guild.tags.filter((tag) => tags.includes(tag)).length;
    const similar = [...new Set(tags.flatMap((tag) => withTag(byVotes, tag)))].sort(
      (a, b) => shared(b) - shared(a) || b.votes - a.votes,
    );
    const all = new Set([...similar, ...byVotes.slice(0, CANDIDATES + 1)]);
    return firstOf([...all], (guild) => guild.guildId !== guildId);
  };
}

/** One more than needed: one of them may be the community itself. */
function firstOf(guilds: readonly BoardGuild[], fits: (guild: BoardGuild) => boolean): BoardGuild[] {
  const first: BoardGuild[] = [];
  for (const guild of guilds) {
    if (first.length > CANDIDATES) break;
    if (fits(guild)) first.push(guild);
  }
  return first;
}

/** The links have no name and no return address: those belong to the other community. */
export function othersView({ locale }: PageContext, others: readonly OtherGuild[]): Html | null {
  if (others.length === 0) return null;
  const text = afterMessages[locale];
  return html`<section class="card vote-others" aria-labelledby="others"><h2 id="others">${text.others}</h2>
<ul>${others.map(
    (guild) => html`<li><a class="vote-other" href="${votePath(guild.guildId)}">${guildIcon(guild, 'medium')}
<span class="vote-other-words"><strong><bdi>${guild.name}</bdi></strong>${detailsOf(guild, text.votesOf)}</span>
<span class="vote-other-action" aria-hidden="true">${text.voteOther}</span></a></li>
`,
  )}</ul></section>`;
}

/** Its first tags, and its votes unless it has none. */
function detailsOf({ tags, votes }: OtherGuild, votesOf: (votes: number) => string): Html | null {
  const details = [...tags.slice(0, 2).map((tag) => `#${tag}`), ...(votes > 0 ? [votesOf(votes)] : [])];
  if (details.length === 0) return null;
  return html`<span class="muted small-text">${details.map((detail, index) => html`${index > 0 && ' · '}<bdi>${detail}</bdi>`)}</span>`;
}
