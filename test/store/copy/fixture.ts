import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { CopyOptions } from '../../../src/store/maintenance/copy.ts';
import { copyDatabase, openStore } from '../../../src/store/open.ts';
import { contentOf, tablesOf } from '../../support/content.ts';
import { type FreshDatabase, NOW, POSTGRES, SQLITE } from '../fixtures.ts';

export type Kind = 'sqlite' | 'postgres';

export const PAIRS: readonly (readonly [Kind, Kind])[] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['sqlite', 'sqlite'],
  ['postgres', 'postgres'],
];

const made: FreshDatabase[] = [];
after(() => Promise.all(made.map((fresh) => fresh.drop())));

const DATABASES = { sqlite: SQLITE, postgres: POSTGRES };

/** An empty database without a schema, which is dropped after the tests. */
export async function create(kind: Kind): Promise<FreshDatabase> {
  const fresh = await DATABASES[kind].createEmpty();
  made.push(fresh);
  return fresh;
}

export async function createMigrated(kind: Kind): Promise<FreshDatabase> {
  const fresh = await DATABASES[kind].createMigrated();
  made.push(fresh);
  return fresh;
}

export async function createFilled(kind: Kind, votes?: number): Promise<FreshDatabase> {
  const fresh = await createMigrated(kind);
  await fill(fresh, votes);
  return fresh;
}

export const GUILD = '100000000000000001';
const ODD_TEXTS = [
  '\\',
  '\\N',
  'tab\there',
  'line\nbreak\r',
  '\b\v\f',
  '',
  'é 𝔐 🙂',
  "it's",
  '\\x41',
  'a\\tb',
  '\u2028',
];

/** Rows with every type of column, and the texts that the format of lines has to escape. */
async function fill({ database, run }: FreshDatabase, votes = 300): Promise<void> {
  const bytes = database.kind === 'sqlite' ? "x'00ff0a095c4e'" : "'\\x00ff0a095c4e'";
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  await run(`INSERT INTO guilds (guild_id, name, created_at, one_reward_per_name, sanction_reason, key_hash)
             VALUES ('${GUILD}', 'A guild', ${NOW}, FALSE, NULL, 'hash')`);
  for (const [i, text] of ODD_TEXTS.entries()) {
    await run(`INSERT INTO guilds (guild_id, name, created_at, sanction_reason)
               VALUES ('${200_000_000_000_000_000n + BigInt(i)}', ${quoted(text)}, ${NOW}, ${quoted(text)})`);
    // Ordered by their bytes on both databases, whatever the order of languages.
    await run(`INSERT INTO sign_outs (user_id, signed_out_at) VALUES (${quoted(`${text}${i}`)}, ${NOW})`);
    await run(`INSERT INTO activities (guild_id, at, action, detail, first_at)
               VALUES ('${GUILD}', ${NOW - i}, 'renamed', ${quoted(text)}, ${NOW})`);
  }
  await run(`INSERT INTO guild_icons (guild_id, source, version, type, bytes)
             VALUES ('${GUILD}', 's', 'v', 'image/png', ${bytes})`);
  await run(`INSERT INTO guild_banners (guild_id, version, alt, bytes)
             VALUES ('${GUILD}', 'v', 'A castle', ${bytes})`);
  const rows = Array.from(
    { length: votes },
    (_, i) =>
      `('${GUILD}', ${NOW + (i % 7) * 1000}, '${300_000_000_000_000_000n + BigInt(i * 7919)}', ${i % 2 ? "'Steve', 'steve'" : 'NULL, NULL'}, ${i % 3 ? 'TRUE' : 'FALSE'}, ${i + 1}, 0, NULL)`,
  );
  if (rows.length > 0)
    await run(
      `INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, marks, network) VALUES ${rows.join()}`,
    );
}

export function copy(from: FreshDatabase, to: FreshDatabase, options: Partial<CopyOptions> = {}) {
  return copyDatabase(from.database, to.database, {
    mode: 'new',
    isLive: false,
    now: () => NOW,
    // Several blocks for each table.
    blockBytes: 1000,
    ...options,
  });
}

const INDEXES = {
  sqlite: "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name",
  postgres: `SELECT relname AS name FROM pg_class WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace
             UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
             WHERE connamespace = 'public'::regnamespace ORDER BY 1`,
};

/** Names of indexes and, on PostgreSQL, constraints. */
export async function indexesOf({ database, query }: FreshDatabase): Promise<string[]> {
  return (await query(INDEXES[database.kind])).map(({ name }) => String(name));
}

/** The copy has the rows of its source, and one epoch more. */
export async function assertEqual(source: FreshDatabase, target: FreshDatabase): Promise<void> {
  const [{ feed_epochs: ours = [], ...from }, { feed_epochs: theirs = [], ...to }] = [
    await contentOf(source),
    await contentOf(target),
  ];
  assert.deepEqual(to, from);
  assert.equal(theirs.length, ours.length + 1);
}

export async function testCopy(from: Kind, to: Kind): Promise<void> {
  const [source, target, empty] = [await createFilled(from), await create(to), await createMigrated(to)];
  const before = await contentOf(source);
  const { tables, changed } = await copy(source, target);
  assert.deepEqual(changed, []);
  assert.equal(tables.find(({ name }) => name === 'votes')?.rows, 300);
  assert.deepEqual(await contentOf(source), before);
  await assertEqual(source, target);
  assert.deepEqual(await indexesOf(target), await indexesOf(empty));
  assert.deepEqual(await tablesOf(target), await tablesOf(empty));
  await openStore(target.database).then((store) => store.close());
}

/** Stops a copy. */
export function failAfter(rows: number): (count: number) => void {
  let left = rows;
  return (count) => {
    left -= count;
    if (left < 0) throw new Error('stopped');
  };
}
