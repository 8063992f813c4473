import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, columnsOf } from '../../../src/store/postgres/columns.ts';
import { useFreshDatabase } from './fresh-database.ts';

const fresh = useFreshDatabase();

test('PostgreSQL reads an array as it was written', async () => {
  const texts = [
    '',
    ' ',
    'NULL',
    null,
    'a,b',
    '{}',
    '"',
    '\\',
    '\\"',
    "'",
    'line\nbreak',
    '"line\nbreak" \\n',
    '\u0001\t\u007f\u2028"',
    JSON.stringify({ text: '"\n\\\u0001', of: ['Zoë 🎉'] }),
    'Zoë 🎉',
    undefined,
  ];
  const { rows } = await fresh.connections.query<{ value: string | null }>({
    text: 'SELECT value FROM unnest($1::text[]) AS value',
    values: [arrayOf(texts)],
  });
  assert.deepEqual(
    rows.map(({ value }) => value),
    texts.map((text) => text ?? null),
  );
});

test('rows become one array per column', async () => {
  const { rows } = await fresh.connections.query({
    text: 'SELECT * FROM unnest($1::text[], $2::bigint[], $3::boolean[]) AS row (name, at, is_doubled)',
    values: columnsOf([
      ['"x"', 1_700_000_000_000, true],
      [null, -1, false],
    ]),
  });
  assert.deepEqual(rows, [
    { name: '"x"', at: 1_700_000_000_000, is_doubled: true },
    { name: null, at: -1, is_doubled: false },
  ]);
  assert.deepEqual(columnsOf([]), []);
});

test('a column without values is no array, and is read as NULL', async () => {
  const values = columnsOf([
    ['a', null, 1],
    ['b', undefined, null],
  ]);
  assert.deepEqual(values, ['{"a","b"}', null, '{1,NULL}']);
  const { rows } = await fresh.connections.query({
    text: 'SELECT * FROM unnest($1::text[], $2::text[], $3::int[]) AS row (name, note, number)',
    values,
  });
  assert.deepEqual(rows, [
    { name: 'a', note: null, number: 1 },
    { name: 'b', note: null, number: null },
  ]);
});
