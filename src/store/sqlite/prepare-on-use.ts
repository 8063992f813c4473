import type { Database } from 'better-sqlite3';

/**
 * The same connection, with statements that are prepared when they are first used, also those that the stores of SQLite
 * prepare themselves. A command uses few of them; for a service, the proxies would take longer than they save. The few
 * statements on which `pluck` is called are prepared at once.
 */
export function prepareOnUse(db: Database): Database {
  const prepare = (text: string) => {
    let statement: object | undefined;
    return new Proxy(
      {},
      {
        get(_, name) {
          statement ??= db.prepare(text);
          return memberOf(statement, name);
        },
      },
    );
  };
  return new Proxy(db, { get: (_, name) => (name === 'prepare' ? prepare : memberOf(db, name)) });
}

/** The driver's methods only work on its own objects. */
function memberOf(owner: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(owner, name, owner);
  return typeof member === 'function' ? member.bind(owner) : member;
}
