/** How far the admins of a guild are with its setup, for the next step that the dashboard suggests. */
import type { Instant } from '../../domain/clock.ts';
import type { Database } from '../database.ts';

export type Milestones = {
  /** When its API key was first used. */
  firstRequestAt: Instant | null;
  hasClaims: boolean;
  /** Whether its admins have dismissed the checklist. */
  isChecklistHidden: boolean;
};

/** Writes are ignored for a guild that was removed in the meantime. */
export interface MilestoneStore {
  find(guildId: string): Promise<Milestones>;
  /** The API keys of these guilds were used. Only the first time is stored. */
  recordRequests(guildIds: readonly string[], at: Instant): Promise<void>;
  hideChecklist(guildId: string, at: Instant): Promise<void>;
}

type MilestonesRow = {
  first_request_at: Instant | null;
  checklist_hidden_at: Instant | null;
  has_claims: boolean | number;
};

export function createMilestoneStore(database: Database): MilestoneStore {
  const sql = prepare(database);
  return {
    async find(guildId) {
      return toMilestones((await sql.find({ guildId }))[0]);
    },
    async recordRequests(guildIds, at) {
      await sql.recordRequests({ guildIds, at });
    },
    async hideChecklist(guildId, at) {
      await sql.hideChecklist({ guildId, at });
    },
  };
}

function toMilestones(row: MilestonesRow | undefined): Milestones {
  return {
    firstRequestAt: row?.first_request_at ?? null,
    hasClaims: Boolean(row?.has_claims),
    isChecklistHidden: (row?.checklist_hidden_at ?? null) !== null,
  };
}

function prepare({ read, write, dialect: { inList, lock } }: Database) {
  return {
    // Primary keys.
    find: read<MilestonesRow>(`
      SELECT first_request_at, checklist_hidden_at,
        EXISTS (SELECT 1 FROM vote_claims WHERE vote_claims.guild_id = guilds.guild_id)
          OR EXISTS (SELECT 1 FROM consumer_claims WHERE consumer_claims.guild_id = guilds.guild_id) AS has_claims
      FROM guilds LEFT JOIN guild_milestones USING (guild_id) WHERE guilds.guild_id = @guildId`),
    // In a fixed order, so that processes that store the same guilds cannot deadlock.
    recordRequests: write(`
      INSERT INTO guild_milestones (guild_id, first_request_at)
      SELECT guild_id, @at FROM guilds WHERE guild_id ${inList('@guildIds')} ORDER BY guild_id ${lock('FOR KEY SHARE')}
      ON CONFLICT (guild_id) DO UPDATE SET first_request_at = excluded.first_request_at
      WHERE guild_milestones.first_request_at IS NULL`),
    hideChecklist: write(`
      INSERT INTO guild_milestones (guild_id, checklist_hidden_at)
      SELECT guild_id, @at FROM guilds WHERE guild_id = @guildId ${lock('FOR KEY SHARE')}
      ON CONFLICT (guild_id) DO UPDATE SET checklist_hidden_at = excluded.checklist_hidden_at`),
  };
}
