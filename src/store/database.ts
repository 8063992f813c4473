/**
 * What a store that is written once for both databases needs of them. A statement is prepared when it is first used;
 * a test prepares all of them (test/store/plans). Parameters have names:
 *
 *   const find = database.read<UserRow>('SELECT user_id, name FROM users WHERE user_id = @userId');
 *   const rename = database.write('UPDATE users SET name = @name WHERE user_id = @userId');
 *   const [user] = await find({ userId });
 *   const isRenamed = (await rename({ userId, name })) > 0;
 *
 * Every statement names the index it relies on. `LIMIT @limit + 0`: SQLite plans a statement with a plain `LIMIT ?`
 * again at every execution, because the plan may depend on the value, which takes 25 µs. `CAST(… AS BIGINT)` and
 * `CAST(… AS TEXT)`: PostgreSQL needs the type of a parameter that is not compared with a column.
 */

/** Booleans and lists have the form that the database expects. */
export type Value = string | number | boolean | null | Buffer | readonly string[];

export type Params = { readonly [name: string]: Value };

export function parameterOf(params: Params, name: string): Value {
  const value = params[name];
  if (value === undefined) throw new Error(`the parameter @${name} has no value`);
  return value;
}

/** The rows of a statement. */
export type Read<Row> = (params?: Params) => Promise<Row[]>;

/** What `use` returns for the rows of a statement. */
export type ReadAndUse<Row> = <Used>(params: Params, use: (rows: Row[]) => Used) => Promise<Used>;

/** The number of rows that a statement changed. */
export type Write = (params?: Params) => Promise<number>;

/** For each statement that ran: how many rows it changed, or found. */
export type Transaction = (params?: Params) => Promise<number[]>;

export interface Statements {
  readonly dialect: Dialect;
  /**
   * `name` is for statements that many requests use: each connection to PostgreSQL plans it once. No two statements may
   * have the same name.
   */
  read<Row extends object>(text: string, name?: string): Read<Row>;
  write(text: string, name?: string): Write;
  /** A write with RETURNING. */
  writeAndRead<Row extends object>(text: string, name?: string): Read<Row>;
}

export interface Database extends Statements {
  /** For many rows: on SQLite they can be freed before another request reads its own. */
  readAndUse<Row extends object>(text: string, name?: string): ReadAndUse<Row>;
  /** For many rows at once. On SQLite, no other write has to wait for these. */
  writeMany(text: string): Write;
  /** All or nothing. One that finds or changes no row is the last that runs. All get the same parameters. */
  transaction(...texts: string[]): Transaction;
  /** All or nothing, for many rows at once. Each runs, whether or not those before changed a row. */
  writeTogether(...texts: string[]): Transaction;
}

/** Where the databases have different words for the same thing. */
export type Dialect = {
  /** For SQLite. PostgreSQL chooses the index itself; a test checks its choice. */
  indexedBy(index: string): string;
  /** Compares with a list of texts that is one parameter: `user_id ${inList('@userIds')}`. */
  inList(parameter: string): string;
  /** A list of objects, passed as JSON, as rows; `columns` are their properties. */
  rowsOf(parameter: string, columns: Readonly<Record<string, 'TEXT' | 'BIGINT'>>): string;
  /** Locks of rows. SQLite has one writer at a time and needs none. */
  lock(clause: string): string;
  /** The function that returns the largest of its arguments. */
  greatest: string;
  /** The function that returns the position of its second text in the first, or 0. */
  position: string;
  /** The current time of the database, in milliseconds. */
  now: string;
  /** Deletes at most `@limit` rows of `@guildId`; on PostgreSQL only those that nobody has locked. */
  deleteSome(table: string): string;
};
