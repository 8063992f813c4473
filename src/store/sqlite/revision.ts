import type { Connections } from './connection.ts';

/**
 * SQLite's own number for what other connections, of this process or of another, have committed. It is asked for
 * once in a turn of the event loop, and after every change of our own: a request that was sent after another
 * program's change is read from its socket in a later turn than those that were waiting when the change was made.
 */
export function createRevision(database: Connections): () => number | null {
  const statement = database.reader.prepare<[], number>('PRAGMA data_version').pluck();
  let known: number | null | undefined;
  let changes = database.changes;
  const forget = (): void => {
    known = undefined;
  };
  /** A database that cannot be read at this moment has no number: whoever asks it then will hear why. */
  const read = (): number | null => {
    try {
      return statement.get() ?? null;
    } catch {
      return null;
    }
  };
  return () => {
    if (known === undefined || changes !== database.changes) {
      if (known === undefined) setImmediate(forget);
      changes = database.changes;
      known = read();
    }
    return known;
  };
}
