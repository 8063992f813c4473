/**
 * The goals of guilds. Whether one is reached is decided by `cast`, in the transaction of the vote (`sqlite/votes/goals.ts`
 * and `postgres/votes/goals.ts`).
 *
 *   await store.goals.set(guildId, { period: 'day', target: 100 }, clock());
 *   const progress = await store.goals.progress(guildId, clock());
 */
import { DAY_MS, type Instant } from '../../domain/clock.ts';
import {
  type Goal,
  type GoalPeriod,
  type GoalProgress,
  goalPeriod,
  isSameGoal,
  progressOf,
} from '../../domain/votes/goal.ts';
import type { Activity, ActivityStore } from '../activities.ts';
import type { Database } from '../database.ts';
import { EXISTING_GUILD } from './guilds.ts';

export interface GoalStore {
  find(guildId: string): Promise<Goal | null>;
  /** The goals of these guilds. Guilds without a goal are left out. */
  findMany(guildIds: readonly string[]): Promise<Map<string, Goal>>;
  /** The goal and the votes that count towards it; null for a guild without a goal. */
  progress(guildId: string, now: Instant): Promise<GoalProgress | null>;
  /**
   * Sets the goal, or removes it with null. A goal of a day, week or month that has enough votes already is not reached
   * before the next one. A vote party keeps the votes that were counted for the previous one, unless they are enough
   * already. Returns false if the guild does not exist.
   */
  set(guildId: string, goal: Goal | null, now: Instant): Promise<boolean>;
  /** Forgets at most `limit` reached goals whose period began before `before`. Returns the number. */
  prune(before: Instant, limit: number): Promise<number>;
}

/** Longer than any period, so that a goal that is removed and set again is not reached twice. */
export const KEEP_REACHED_GOALS_MS = 62 * DAY_MS;

export type GoalOutcome = { kind: 'changed' } | { kind: 'unchanged' } | { kind: 'unknown_guild' };

/** Sets the goal after recording it, so that every goal is in the log of the guild. Used by its admins and by operators. */
export async function changeGoal(
  { goals, activities }: { goals: GoalStore; activities: ActivityStore },
  { guildId, at, actor }: Pick<Activity, 'guildId' | 'at' | 'actor'>,
  goal: Goal | null,
): Promise<GoalOutcome> {
  const from = await goals.find(guildId);
  if (isSameGoal(from, goal)) return { kind: 'unchanged' };
  const detail = { goal: { from, to: goal } };
  await activities.record({ guildId, at, actor, action: 'goal_changed', detail });
  return { kind: (await goals.set(guildId, goal, at)) ? 'changed' : 'unknown_guild' };
}

type GoalRow = { period: GoalPeriod; target: number; party_votes: number };

export function createGoalStore(database: Database): GoalStore {
  const sql = prepare(database);

  async function findRow(guildId: string): Promise<GoalRow | undefined> {
    return (await sql.find({ guildId }))[0];
  }

  async function countVotes(
    guildId: string,
    { period, party_votes }: GoalRow,
    now: Instant,
  ): Promise<number> {
    if (period === 'party') return party_votes;
    const { from, to } = goalPeriod(period, now);
    const [counted] =
      period === 'month'
        ? await sql.countMonth({ guildId, from })
        : await sql.countHours({ guildId, from, to });
    return counted?.votes ?? 0;
  }

  return {
    async find(guildId) {
      const row = await findRow(guildId);
      return row ? { period: row.period, target: row.target } : null;
    },
    async findMany(guildIds) {
      const rows = await sql.findMany({ guildIds });
      return new Map(rows.map(({ guild_id, period, target }) => [guild_id, { period, target }]));
    },
    async progress(guildId, now) {
      const row = await findRow(guildId);
      return row ? progressOf(row, await countVotes(guildId, row, now), now) : null;
    },
    async set(guildId, goal, now) {
      if (goal === null) {
        await sql.remove({ guildId });
        return (await sql.exists({ guildId })).length > 0;
      }
      const { period, target } = goal;
      if (period === 'party') return (await sql.set({ guildId, period, target })) > 0;
      const [changed = 0] = await sql.setTimed({ guildId, period, target, now, ...goalPeriod(period, now) });
      return changed > 0;
    },
    prune: (before, limit) => sql.prune({ before, limit }),
  };
}

const VOTES_OF_HOURS = `
  SELECT coalesce(sum(votes), 0) AS votes FROM hourly_votes
  WHERE guild_id = @guildId AND hour >= @from AND hour < @to`;

const KEEPS_PARTY = `
  vote_goals.period = 'party' AND excluded.period = 'party' AND vote_goals.party_votes < excluded.target`;

const SET = (lock: string) => `
  INSERT INTO vote_goals (guild_id, period, target, party_votes, party_seq)
  SELECT guild_id, @period, CAST(@target AS BIGINT), 0,
    coalesce((SELECT last_seq FROM vote_sequences WHERE vote_sequences.guild_id = guilds.guild_id), 0)
  FROM guilds WHERE ${EXISTING_GUILD} ${lock}
  ON CONFLICT (guild_id) DO UPDATE SET period = excluded.period, target = excluded.target,
    party_votes = CASE WHEN ${KEEPS_PARTY} THEN vote_goals.party_votes ELSE 0 END,
    party_seq = CASE WHEN ${KEEPS_PARTY} THEN vote_goals.party_seq ELSE excluded.party_seq END`;

/** Each uses a primary key. */
function prepare({ read, write, transaction, dialect: { inList, lock } }: Database) {
  type Counted = { votes: number };
  const set = SET(lock('FOR KEY SHARE'));
  return {
    exists: read(`SELECT guild_id FROM guilds WHERE ${EXISTING_GUILD}`),
    find: read<GoalRow>(
      'SELECT period, target, party_votes FROM vote_goals WHERE guild_id = @guildId',
      'goal',
    ),
    findMany: read<GoalRow & { guild_id: string }>(
      `SELECT guild_id, period, target, party_votes FROM vote_goals WHERE guild_id ${inList('@guildIds')}`,
    ),
    countHours: read<Counted>(VOTES_OF_HOURS, 'goal-hours'),
    countMonth: read<Counted>(
      'SELECT votes FROM monthly_votes WHERE guild_id = @guildId AND month = @from',
      'goal-month',
    ),
    set: write(set),
    setTimed: transaction(
      set,
      `INSERT INTO reached_goals (guild_id, starts_at, period, target, reached_at)
       SELECT guild_id, CAST(@from AS BIGINT), period, target, CAST(@now AS BIGINT) FROM vote_goals
       WHERE guild_id = @guildId AND target <= (${VOTES_OF_HOURS})
       ON CONFLICT DO NOTHING`,
    ),
    remove: write('DELETE FROM vote_goals WHERE guild_id = @guildId'),
    // The primary key, guild by guild: SQLite keeps the order of a CROSS JOIN. Rows that another process is deleting are skipped.
    prune: write(`
      DELETE FROM reached_goals WHERE (guild_id, starts_at, period, target) IN (
        SELECT reached.guild_id, reached.starts_at, reached.period, reached.target
        FROM guilds CROSS JOIN reached_goals AS reached
        WHERE reached.guild_id = guilds.guild_id AND reached.starts_at < @before
        LIMIT @limit + 0 ${lock('FOR UPDATE OF reached SKIP LOCKED')}
      )`),
  };
}
