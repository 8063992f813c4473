import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import type { CopyStep } from '../../../src/store/maintenance/copy.ts';
import { openStore } from '../../../src/store/open.ts';
import { removeTimeLimits } from '../../../src/store/postgres/copy/time-limits.ts';
import type { Store } from '../../../src/store/store.ts';
import { contentOf } from '../../support/content.ts';
import {
  assertEqual,
  copy,
  create,
  createFilled,
  createMigrated,
  failAfter,
  indexesOf,
  PAIRS,
  testCopy,
} from './fixture.ts';

describe('a copy to the same kind of database', () => {
  for (const [from, to] of PAIRS.slice(2)) {
    it(`from ${from} to ${to} has every row, index and constraint, and leaves the source as it was`, () =>
      testCopy(from, to));
  }
});

describe('an interrupted copy', () => {
  for (const [from, to] of PAIRS.slice(0, 2)) {
    it(`from ${from} to ${to} is refused when the source has changed, and begun again`, async () => {
      const [source, target] = [await createFilled(from), await create(to)];
      await assert.rejects(copy(source, target, { onProgress: failAfter(200) }), /--resume/);
      await source.run("UPDATE guilds SET name = 'Changed'");
      await assert.rejects(copy(source, target, { mode: 'resume' }), /table guilds .* differs.*--start-over/);
      await copy(source, target, { mode: 'start-over' });
      await assertEqual(source, target);
    });
  }

  it('continues when it stopped while indexes were created', async () => {
    for (const [from, to] of PAIRS.slice(0, 2)) {
      const [source, target, empty] = [await createFilled(from), await create(to), await createMigrated(to)];
      let isRebuilding = false;
      const stopInRebuild = {
        onStart: (step: string) => {
          isRebuilding = step === 'rebuild';
        },
        onProgress: () => {
          if (isRebuilding) throw new Error('stopped');
        },
      };
      await assert.rejects(copy(source, target, stopInRebuild), /stopped.*--resume/);
      await copy(source, target, { mode: 'resume' });
      assert.deepEqual(await indexesOf(target), await indexesOf(empty));
      await assertEqual(source, target);
    }
  });
});

describe('a source that is written while it is copied', { concurrency: 2 }, () => {
  for (const [from, to] of PAIRS.slice(0, 2)) {
    it(`fails from ${from} to ${to}; a live copy says which tables are older`, async () => {
      const [source, target, other] = [await createFilled(from), await create(to), await create(to)];
      // When all rows were read.
      const rename = (name: string) => async (step: CopyStep) => {
        if (step === 'compare') await source.run(`UPDATE guilds SET name = '${name}'`);
      };
      await assert.rejects(
        copy(source, target, { onStart: rename('Late') }),
        /source was written during the copy \(guilds\).*--start-over/,
      );
      await assert.rejects(openStore(target.database), /unfinished copy/);
      const live = await copy(source, other, { isLive: true, onStart: rename('Later') });
      assert.deepEqual(live.changed, ['guilds']);
    });
  }
});

describe('a service that starts while its database is copied', () => {
  it('fails the copy before it has written anything; a live copy goes on', async () => {
    const [source, target, other] = [
      await createFilled('postgres'),
      await create('sqlite'),
      await create('sqlite'),
    ];
    const services: Store[] = [];
    const startService = async (step: CopyStep) => {
      if (step === 'compare') services.push(await openStore(source.database));
    };
    await assert.rejects(
      copy(source, target, { onStart: startService }),
      /service is connected to the database.*--live/,
    );
    await assert.rejects(openStore(target.database), /unfinished copy/);
    await copy(source, other, { isLive: true, onStart: startService });
    await assertEqual(source, other);
    for (const service of services) await service.close();
    await copy(source, target, { mode: 'resume' });
    await assertEqual(source, target);
  });
});

describe('starting over', { concurrency: 2 }, () => {
  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`of ${kind} deletes nothing if a newer program began the copy`, async () => {
      const [source, target] = [await createFilled(kind), await create(kind)];
      await assert.rejects(copy(source, target, { onProgress: failAfter(200) }), /--resume/);
      const stored = await target.query('SELECT * FROM votes ORDER BY user_id');
      await target.run(
        "INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible) VALUES (900, '0900-later', 1, 1)",
      );
      for (const mode of ['start-over', 'resume'] as const)
        await assert.rejects(copy(source, target, { mode }), /another schema version/);
      assert.ok(stored.length > 0);
      assert.deepEqual(await target.query('SELECT * FROM votes ORDER BY user_id'), stored);
      await assert.rejects(openStore(target.database), /unfinished copy/);
    });
  }

  it('that fails after the rows were deleted leaves a new database', async () => {
    const [source, target] = [await createFilled('sqlite'), await create('postgres')];
    await assert.rejects(copy(source, target, { onProgress: failAfter(200) }), /--resume/);
    // The next table that is created is the one that marks an unfinished copy.
    await target.run(`CREATE FUNCTION fail() RETURNS event_trigger LANGUAGE plpgsql AS
                      $$ BEGIN RAISE EXCEPTION 'no space'; END $$;
                      CREATE EVENT TRIGGER fails ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION fail()`);
    await assert.rejects(copy(source, target, { mode: 'start-over' }), /no space/);
    await target.run('DROP EVENT TRIGGER fails; DROP FUNCTION fail');
    const { erasure_key: key, ...rest } = await contentOf(target);
    const { erasure_key: expectedKey, ...expected } = await contentOf(await createMigrated('postgres'));
    assert.deepEqual(rest, expected);
    assert.equal(key?.length, expectedKey?.length);
    await copy(source, target);
    await assertEqual(source, target);
  });
});

describe('removeTimeLimits', () => {
  it('removes those of the role and the database, for a transaction or a session', async () => {
    const { database, run } = await create('postgres');
    assert.ok(database.kind === 'postgres');
    const limits = [
      'statement_timeout',
      'idle_session_timeout',
      'idle_in_transaction_session_timeout',
      'transaction_timeout',
    ];
    for (const name of limits)
      await run(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${name} = 60000', current_database()); END $$`,
      );
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const read = async () => {
      const { rows } = await client.query(
        'SELECT DISTINCT current_setting(name) AS value FROM unnest($1::text[]) AS name',
        [limits],
      );
      return rows.map(({ value }) => value);
    };
    assert.deepEqual(await read(), ['1min']);
    await client.query('BEGIN');
    await removeTimeLimits(client, 'transaction');
    assert.deepEqual(await read(), ['0']);
    await client.query('COMMIT');
    assert.deepEqual(await read(), ['1min']);
    await removeTimeLimits(client, 'session');
    assert.deepEqual(await read(), ['0']);
    await client.end();
  });
});

describe('a wrong target', { concurrency: 2 }, () => {
  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`of ${kind} is refused: with rows, with another schema, or the source itself`, async () => {
      const source = await createFilled(kind, 1);
      await assert.rejects(copy(source, source), /same database/);
      const used = await createFilled(kind, 1);
      await assert.rejects(copy(source, used), /not empty: its table \w+ has rows/);
      await openStore(used.database).then((store) => store.close());
      const newer = await createMigrated(kind);
      await newer.run(
        "INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible) VALUES (900, '0900-later', 1, 1)",
      );
      await assert.rejects(copy(source, newer), /another schema version/);
      for (const mode of ['resume', 'start-over'] as const)
        await assert.rejects(copy(source, await create(kind), { mode }), /no unfinished copy/);
    });

    it(`of ${kind}: the source must have the current schema`, async () => {
      const source = await createFilled(kind, 1);
      await source.run('DELETE FROM schema_migrations WHERE version = 2');
      await assert.rejects(copy(source, await create('sqlite')), /older schema: run votary migrate/);
    });
  }
});
