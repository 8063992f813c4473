import type { RecentWindow } from '../../domain/cooldown.ts';
import { isStorableExternalId } from '../../domain/identifiers.ts';
import type { Vote } from '../../domain/vote.ts';
import type { Connection } from './connection.ts';
import type { RecentVotes } from './recent-votes.ts';
import { HOT_QUERIES } from './vote-queries.ts';
import { toVote, type VoteRow } from './vote-row.ts';

/** The newest vote inside a window: out of memory when it is complete there, else out of the file. */
export type LatestVotes = {
  ofUser(guildId: string, userId: string, window: RecentWindow): Vote | undefined;
  ofExternalId(guildId: string, externalId: string, window: RecentWindow): Vote | undefined;
};

type Range = [guildId: string, name: string, after: number, until: number];

export function createLatestVotes(reader: Connection, recent: RecentVotes): LatestVotes {
  const inFileOfUser = reader.prepare<Range, VoteRow>(HOT_QUERIES.latestOfUser);
  const inFileOfExternalId = reader.prepare<Range, VoteRow>(HOT_QUERIES.latestOfExternalId);
  return {
    ofUser(guildId, userId, window) {
      const index = recent.ofUsers(window);
      if (index) return index.latest(guildId, userId, window);
      const row = inFileOfUser.get(guildId, userId, window.after, window.until);
      return row && toVote(row);
    },
    ofExternalId(guildId, externalId, window) {
      // Text that no vote can carry is not asked for: the driver would change half a surrogate pair on its way.
      if (!isStorableExternalId(externalId)) return undefined;
      const index = recent.ofExternalIds(window);
      if (index) return index.latest(guildId, externalId, window);
      const row = inFileOfExternalId.get(guildId, externalId, window.after, window.until);
      return row && toVote(row);
    },
  };
}
