import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { Connections } from '../../src/store/sqlite/connection.ts';
import { StoreUnavailableError } from '../../src/store/store.ts';
import { WriteProbe } from '../../src/store/write-probe.ts';
import { createTestDatabase, runOn } from '../support/postgres/postgres.ts';

test('concurrent checks share a write, and checks within a second of it do not write', async () => {
  let now = 0;
  let writes = 0;
  const probe = new WriteProbe(
    async () => {
      writes += 1;
    },
    () => now,
  );
  await Promise.all([probe.check(), probe.check(), probe.check()]);
  now = 999;
  await probe.check();
  assert.equal(writes, 1);
  now = 1000;
  await probe.check();
  assert.equal(writes, 2);
});

test('a failed write fails all checks that wait for it, and the next check writes again', async () => {
  const outcomes = [new Error('the disk is full'), undefined];
  const probe = new WriteProbe(
    async () => {
      const failure = outcomes.shift();
      if (failure) throw failure;
    },
    () => 0,
  );
  const checks = await Promise.allSettled([probe.check(), probe.check()]);
  assert.deepEqual(
    checks.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await probe.check();
});

const isUnavailable = (kind: string) => (error: unknown) =>
  error instanceof StoreUnavailableError && error.kind === kind;

test('a SQLite file that cannot be written is not ready, one that another program writes to is', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-probe-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'votary.db');
  const store = await openStore({ kind: 'sqlite', path });
  t.after(() => store.close());
  await store.ping();
  const database = new Connections(path);
  t.after(() => database.close());
  const other = new Connections(path);
  t.after(() => other.close());

  database.probeWrite();
  other.writer.exec('BEGIN IMMEDIATE');
  database.probeWrite();
  other.writer.exec('ROLLBACK');
  database.writer.pragma('query_only = ON');
  assert.throws(() => database.probeWrite(), isUnavailable('read-only'));
  database.writer.pragma('query_only = OFF');
  database.probeWrite();
  database.writer.pragma('max_page_count = 1');
  const fill = database.writer.prepare("INSERT INTO users (user_id, name, seen_at) VALUES ('1', ?, 1)");
  await assert.rejects(
    database.write(() => fill.run('x'.repeat(100_000))),
    isUnavailable('full'),
  );
});

test('a PostgreSQL table that cannot grow is not ready, and probes leave nothing behind', async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const store = await openStore({ kind: 'postgres', url });
  t.after(() => store.close());
  await runOn(
    url,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END
     $$;
     CREATE TRIGGER refuse BEFORE INSERT ON write_probes FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  await assert.rejects(store.ping(), isUnavailable('full'));
  await runOn(url, 'DROP TRIGGER refuse ON write_probes');

  const size = async () =>
    Number((await runOn(url, "SELECT pg_relation_size('write_probes') AS size"))[0]?.size);
  const before = await size();
  await store.ping();
  // The row needed a new page, and vacuum gives it back.
  assert.equal(await size(), before + 8192);
  await runOn(url, 'VACUUM write_probes');
  assert.equal(await size(), 0);
});
