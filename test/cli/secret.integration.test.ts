import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { DatabaseUrl } from '../../src/config.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { createResealer } from '../../src/store/maintenance/reseal.ts';
import { withSealedTexts } from '../../src/store/open.ts';
import { openSessionIssuer } from '../../torture/lib/sessions.ts';
import { newHttpsVisitor } from '../support/https-visitor.ts';
import { createTestDatabase } from '../support/postgres/postgres.ts';
import { type ServedHere, serveHere } from '../support/serve.ts';
import {
  addLinkSecrets,
  linkSecretsUnder,
  responseUnder,
  sealWebhook,
  storeResponse,
  unsealWebhook,
} from './sealed-texts.ts';
import { assertDone, assertFailed, GUILD, type Home, makeHome, voteLine } from './votary.ts';

async function openKey(home: Home): Promise<string> {
  assertDone(await home.votary('guild', 'add', GUILD));
  return Object(await home.json('key', 'generate', GUILD)).key;
}

async function readMaster(home: Home): Promise<string> {
  return (await readFile(join(home.dataDir, 'secret'), 'utf8')).trim();
}

function fileOf(home: Home): DatabaseUrl {
  return { kind: 'sqlite', path: join(home.dataDir, 'votary.db') };
}

/** One service, before and after its secret is rotated. */
type Rotation = {
  database: DatabaseUrl;
  before: Home;
  after: Home;
  /** The current master secret of a home. */
  masterOf(home: Home): Promise<string>;
};

const ROTATIONS: Record<string, (t: TestContext) => Promise<Rotation>> = {
  'SQLite, where a file holds the secret': async () => {
    const home = await makeHome({ VOTARY_PORT: '0' });
    return { database: fileOf(home), before: home, after: home, masterOf: readMaster };
  },
  'PostgreSQL, where a variable does': async (t) => {
    const database = await createTestDatabase();
    t.after(database.drop);
    // Commands open many connections. On a busy machine one can take longer than the default.
    const url = `${database.url}?connect_timeout=600`;
    const [old, fresh] = ['the first secret for tests', 'the second secret for tests'];
    const given = { VOTARY_DATABASE_URL: url, VOTARY_PORT: '0' };
    const before = await makeHome({ ...given, VOTARY_SECRET: old, VOTARY_NEW_SECRET: fresh });
    const after = await makeHome({ ...given, VOTARY_SECRET: fresh });
    return {
      database: { kind: 'postgres', url },
      before,
      after,
      masterOf: async (home) => (home === before ? old : fresh),
    };
  },
};

/** The session cookie of a user who signed in with this master secret. */
async function sessionUnder(master: string): Promise<string> {
  const issuer = await openSessionIssuer(deriveSecrets(master), { isDemo: true });
  const { cookie } = await issuer.issue('200000000000000001');
  await issuer.close();
  return cookie;
}

async function visitDashboard({ url }: ServedHere, cookie: string) {
  const visitor = newHttpsVisitor(url);
  const { status, text, headers } = await visitor.get('/dashboard', { cookie });
  visitor.close();
  const name = /class="person-name">([^<]*)</.exec(text)?.[1] ?? null;
  return { status, name, location: headers.location };
}

describe('votary secret rotate', { concurrency: 3 }, () => {
  it('creates a new secret that decrypts everything the old one did', async () => {
    const home = await makeHome();
    const key = await openKey(home);
    const old = await readMaster(home);
    await sealWebhook(fileOf(home), old);
    assert.deepEqual(await home.json('secret', 'rotate'), {
      rotated: true,
      api_keys: 1,
      webhook_secrets: 2,
      unreadable: 0,
    });
    const fresh = await readMaster(home);
    assert.match(fresh, /^[0-9a-f]{64}$/);
    assert.notEqual(fresh, old);
    assert.equal((await stat(join(home.dataDir, 'secret'))).mode & 0o777, 0o600);
    assert.deepEqual(
      (await readdir(home.dataDir)).filter((name) => name.startsWith('secret')),
      ['secret'],
    );
    assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });

    assert.deepEqual(await unsealWebhook(fileOf(home), fresh), ['whsec_now', 'whsec_before']);
    assert.deepEqual(await unsealWebhook(fileOf(home), old), [undefined, undefined]);
  });

  for (const [place, prepare] of Object.entries(ROTATIONS)) {
    it(`keeps keys and webhooks, rejects old cursors with a message and signs everyone out, on ${place}`, async (t) => {
      const { database, before, after, masterOf } = await prepare(t);
      const key = await openKey(before);
      const old = await masterOf(before);
      await sealWebhook(database, old);
      const linkSecrets = await addLinkSecrets(database, old);
      await storeResponse(database, old);
      await before.votary('premium', 'grant', GUILD, '--until', '2099-01-01');
      const votes = [1, 2].map((day) => voteLine({ timestamp: `2026-01-0${day}T10:00:00.000Z` }));
      await before.pipe(votes.join('\n'), 'votes', 'import', '-');
      const list = '/v7/guild/votes?from=2026-01-01&to=2026-01-03&limit=1';
      const cookie = await sessionUnder(old);

      const first = await serveHere(before, { isDemo: true });
      const { pagination } = Object((await first.get(list, key)).body);
      const nextPage = `${list}&cursor=${pagination.next_cursor}`;
      assert.equal((await first.get(nextPage, key)).status, 200);
      const { status, name } = await visitDashboard(first, cookie);
      assert.deepEqual([status, name], [200, 'A voter']);
      await first.stop();

      assert.deepEqual(await before.json('secret', 'rotate'), {
        rotated: true,
        api_keys: 1,
        webhook_secrets: 2,
        unreadable: 0,
      });
      assert.deepEqual(await unsealWebhook(database, await masterOf(after)), ['whsec_now', 'whsec_before']);
      assert.deepEqual(await unsealWebhook(database, old), [undefined, undefined]);
      assert.deepEqual(await linkSecretsUnder(database, await masterOf(after)), linkSecrets);
      assert.deepEqual(await linkSecretsUnder(database, old), []);
      assert.equal(await responseUnder(database, await masterOf(after)), '{"ok":true}');
      assert.equal(await responseUnder(database, old), undefined);
      const second = await serveHere(after, { isDemo: true });
      const refused = await second.get(nextPage, key);
      assert.deepEqual([refused.status, refused.body.error], [400, 'INVALID_CURSOR']);
      assert.equal((await second.get(list, key)).status, 200);
      const stranger = await visitDashboard(second, '');
      assert.deepEqual(stranger, { status: 303, name: null, location: '/sign-in?back=%2Fdashboard' });
      assert.deepEqual(await visitDashboard(second, cookie), stranger);
      await second.stop();
    });
  }

  for (const [place, prepare] of Object.entries(ROTATIONS)) {
    it(`changes nothing when a part of it fails, on ${place}`, async (t) => {
      const { database, before, masterOf } = await prepare(t);
      const key = await openKey(before);
      const old = await masterOf(before);
      await sealWebhook(database, old);
      const resealer = createResealer(old, 'f'.repeat(64));
      const failing = {
        ...resealer,
        webhookSecret: () => {
          throw new Error('out of order');
        },
      };
      const resealed = withSealedTexts(database, (sealed) => sealed.reseal(failing));
      await assert.rejects(resealed, /out of order/);
      assert.equal(resealer.counts().apiKeys, 1, 'the key was resealed before');
      assert.deepEqual(await before.json('key', 'show', GUILD), { guild_id: GUILD, key });
      assert.deepEqual(await unsealWebhook(database, old), ['whsec_now', 'whsec_before']);
    });
  }

  for (const [when, rotateFirst] of [
    ['before anything was resealed', false],
    ['after everything was resealed', true],
  ] as const) {
    it(`keeps keys that can be shown when it is interrupted ${when}`, async () => {
      const home = await makeHome();
      const key = await openKey(home);
      const old = await readMaster(home);
      if (rotateFirst) assertDone(await home.votary('secret', 'rotate'));
      const fresh = rotateFirst ? await readMaster(home) : 'f'.repeat(64);
      await writeFile(join(home.dataDir, 'secret'), `${old}\n${fresh}\n`);

      assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });
      // The next rotation cleans up, and loses nothing either.
      assert.equal(Object(await home.json('secret', 'rotate')).api_keys, 1);
      assert.match(await readMaster(home), /^[0-9a-f]{64}$/);
      assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });
    });
  }

  it('refuses to run while a server is running, and changes nothing', async () => {
    const home = await makeHome({ VOTARY_PORT: '0' });
    const key = await openKey(home);
    const old = await readMaster(home);
    const served = await serveHere(home);
    assertFailed(await home.votary('secret', 'rotate'), /is in use: stop the server/);
    await served.stop();
    assert.equal(await readMaster(home), old);
    assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });
  });

  it('replaces a weak secret that is no longer accepted', async () => {
    const fresh = 'the second secret for tests';
    const weak = await makeHome({ VOTARY_SECRET: 'changeme-changeme', VOTARY_NEW_SECRET: fresh });
    assertFailed(await weak.votary('guild', 'list'), /^votary: VOTARY_SECRET is easy to guess/m);
    assertDone(await weak.votary('migrate', '--help'));
    const set = await makeHome({ VOTARY_DATA_DIR: weak.dataDir, VOTARY_SECRET: fresh });
    assertDone(await set.votary('migrate'));
    assertDone(await weak.votary('secret', 'rotate'));
  });

  it('reads the new secret from a variable if the old one is in one, on PostgreSQL', async (t) => {
    const database = await createTestDatabase();
    t.after(database.drop);
    // Commands open many connections. On a busy machine one can take longer than the default.
    const url = `${database.url}?connect_timeout=600`;
    const [old, fresh] = ['the first secret for tests', 'the second secret for tests'];
    const home = await makeHome({
      VOTARY_DATABASE_URL: url,
      VOTARY_SECRET: old,
      VOTARY_NEW_SECRET: fresh,
      SHORT: 'short',
      WEAK: 'changeme-changeme-changeme',
      SAME: old,
    });
    const key = await openKey(home);
    assertFailed(await home.votary('secret', 'rotate', '--to-env', 'MISSING'), /set MISSING \(openssl/);
    assertFailed(await home.votary('secret', 'rotate', '--to-env', 'SHORT'), /SHORT must be at least 16/);
    assertFailed(await home.votary('secret', 'rotate', '--to-env', 'WEAK'), /WEAK is easy to guess/);
    assertFailed(
      await home.votary('secret', 'rotate', '--to-env', 'SAME'),
      /SAME contains the current secret/,
    );
    const outcome = await home.votary('secret', 'rotate');
    assertDone(outcome);
    assert.match(outcome.stdout, /Set VOTARY_SECRET to the value of VOTARY_NEW_SECRET/);
    assert.ok(!outcome.stdout.includes(fresh));
    // Repeated, as after a connection that broke before the response.
    assert.equal(Object(await home.json('secret', 'rotate')).api_keys, 1);

    const later = await makeHome({ VOTARY_DATABASE_URL: url, VOTARY_SECRET: fresh, VOTARY_PORT: '0' });
    assert.deepEqual(await later.json('key', 'show', GUILD), { guild_id: GUILD, key });
    assertFailed(await home.votary('key', 'show', GUILD), /encrypted with another VOTARY_SECRET/);

    const served = await serveHere(later);
    assert.equal((await served.get('/readyz')).status, 200);
    assertFailed(
      await home.votary('secret', 'rotate'),
      /in use by \d+ other connections of Votary: stop every server/,
    );
    await served.stop();
  });
});
