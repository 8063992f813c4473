import type { Connections } from './connection.ts';

/** What a server must know to use what it keeps in memory. */
export type WatchedState = {
  /** Another number when anything has been committed by another connection, of this process or not. */
  version: number;
  floor: number;
  guildChanges: number;
  guildRemovals: number;
};

/**
 * The state of the database, looked at once in a turn of the event loop and after every change of our own. A
 * request that was sent after another program's change is read from its socket in a later turn than those that
 * were waiting when the change was made. `null` when the database cannot be read: whoever asks it will hear why.
 */
export function createWatch(database: Connections): () => WatchedState | null {
  const version = database.reader.prepare<[], number>('PRAGMA data_version').pluck();
  const state = database.reader.prepare<[], Omit<WatchedState, 'version'>>(
    `SELECT floor, guild_changes AS guildChanges, guild_removals AS guildRemovals FROM watched_state`,
  );
  let known: WatchedState | null = null;
  let isOfThisTurn = false;
  let changes = database.changes;
  // Queued before whatever the next turn queues, so the answers of that turn look again.
  const endTurn = (): void => {
    isOfThisTurn = false;
  };

  function look(): WatchedState | null {
    try {
      // In this order: a change between the two questions is then seen again by the next look.
      const found = version.get() ?? 0;
      if (found === known?.version) return known;
      const row = state.get();
      return row ? { version: found, ...row } : null;
    } catch {
      return null;
    }
  }

  return () => {
    if (isOfThisTurn && changes === database.changes) return known;
    if (!isOfThisTurn) setImmediate(endTurn);
    isOfThisTurn = true;
    changes = database.changes;
    known = look();
    return known;
  };
}
