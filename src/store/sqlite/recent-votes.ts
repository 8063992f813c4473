import { HOUR_MS, type Instant } from '../../domain/clock.ts';
import type { RecentWindow } from '../../domain/cooldown.ts';
import type { Vote } from '../../domain/vote.ts';
import { type Connections, inTransaction } from './connection.ts';
import type { WatchedState } from './watch.ts';

type RecentRow = Omit<Vote, 'isDoubled'> & { number: number; isDoubled: number };

/** The floor is moved up when it lies this far below what is asked for, to where the hour before is still there. */
const MOVE_FLOOR_AFTER_MS = 2 * HOUR_MS;

/**
 * The votes of the last hours in memory. They are a small part of all votes, and every vote check asks for one of
 * them: looking into the file for it would cost more than all the rest of the answer.
 */
export class RecentVotes {
  readonly #database: Connections;
  readonly #watch: () => WatchedState | null;
  readonly #newer;
  readonly #byUser = new VoteIndex();
  readonly #byExternalId = new VoteIndex();
  #seen: WatchedState | null = null;
  #lastNumber = 0;
  #isMovingFloor = false;

  constructor(database: Connections, watch: () => WatchedState | null) {
    this.#database = database;
    this.#watch = watch;
    // The primary key.
    this.#newer = database.reader.prepare<[number], RecentRow>(
      `SELECT number, guild_id AS guildId, user_id AS userId, cast_at AS castAt, external_id AS externalId,
              is_doubled AS isDoubled
       FROM recent_votes WHERE number > ? ORDER BY number`,
    );
  }

  /** The index of users' votes when it holds all of the window; `undefined` when the file has to be asked. */
  ofUsers(window: RecentWindow): VoteIndex | undefined {
    return this.#isCurrent(window.after) ? this.#byUser : undefined;
  }

  ofExternalIds(window: RecentWindow): VoteIndex | undefined {
    return this.#isCurrent(window.after) ? this.#byExternalId : undefined;
  }

  #isCurrent(after: Instant): boolean {
    const state = this.#watch();
    if (state === null || after < state.floor) return false;
    if (after - state.floor > MOVE_FLOOR_AFTER_MS) {
      // What has gathered since the last server ran may be much; it is not read before it is cleared away.
      this.#moveFloor(after - HOUR_MS);
      return false;
    }
    if (state !== this.#seen) this.#readNew(state);
    return true;
  }

  #readNew(state: WatchedState): void {
    if (state.floor !== this.#seen?.floor || state.guildRemovals !== this.#seen.guildRemovals) this.#forget();
    for (const { number, ...row } of this.#newer.all(this.#lastNumber)) {
      const vote = { ...row, isDoubled: row.isDoubled === 1 };
      this.#byUser.add(vote.guildId, vote.userId, vote);
      if (vote.externalId !== null) this.#byExternalId.add(vote.guildId, vote.externalId, vote);
      this.#lastNumber = number;
    }
    this.#seen = state;
  }

  #forget(): void {
    this.#byUser.clear();
    this.#byExternalId.clear();
    this.#lastNumber = 0;
  }

  #moveFloor(floor: Instant): void {
    if (this.#isMovingFloor) return;
    this.#isMovingFloor = true;
    const { writer } = this.#database;
    const move = () =>
      inTransaction(writer, () => {
        writer.prepare('UPDATE watched_state SET floor = ? WHERE floor < ?').run(floor, floor);
        writer.prepare('DELETE FROM recent_votes WHERE cast_at <= (SELECT floor FROM watched_state)').run();
      });
    const moved = () => {
      this.#isMovingFloor = false;
    };
    // A failure is of no matter: the file answers meanwhile, and the next request tries again.
    this.#database.write(move).then(moved, moved);
  }
}

/** Votes by guild and one more name, each list in the order of time. */
export class VoteIndex {
  readonly #votes = new Map<string, Map<string, Vote[]>>();

  add(guildId: string, name: string, vote: Vote): void {
    const ofGuild = this.#votes.get(guildId) ?? new Map<string, Vote[]>();
    this.#votes.set(guildId, ofGuild);
    const votes = ofGuild.get(name);
    if (!votes) ofGuild.set(name, [vote]);
    else votes.splice(votes.findLastIndex((other) => isBefore(other, vote)) + 1, 0, vote);
  }

  latest(guildId: string, name: string, { after, until }: RecentWindow): Vote | undefined {
    const votes = this.#votes.get(guildId)?.get(name);
    return votes?.findLast(({ castAt }) => castAt <= until && castAt > after);
  }

  clear(): void {
    this.#votes.clear();
  }
}

function isBefore(a: Vote, b: Vote): boolean {
  return a.castAt === b.castAt ? a.userId < b.userId : a.castAt < b.castAt;
}
