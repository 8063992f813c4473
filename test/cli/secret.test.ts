import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { seal, unseal, webhookSecretContext } from '../../src/domain/seal.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { openStore } from '../../src/store/open.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { serve } from '../support/serve.ts';
import { assertDone, assertFailed, GUILD, type Home, makeHome } from './votary.ts';

const CONTEXT = webhookSecretContext(GUILD, 'ep_1');

async function openKey(home: Home): Promise<string> {
  assertDone(await home.votary('guild', 'add', GUILD));
  return Object(await home.json('key', 'generate', GUILD)).key;
}

async function readMaster(home: Home): Promise<string> {
  return (await readFile(join(home.dataDir, 'secret'), 'utf8')).trim();
}

async function sealWebhook(home: Home): Promise<void> {
  const { sealKey } = deriveSecrets(await readMaster(home));
  const store = await openStore({ kind: 'sqlite', path: join(home.dataDir, 'votary.db') });
  const secrets = { current: seal('whsec_now', CONTEXT, sealKey), previous: null };
  const previous = { sealed: seal('whsec_before', CONTEXT, sealKey), validUntil: 1 };
  await store.webhooks.addEndpoint(
    {
      guildId: GUILD,
      endpointId: 'ep_1',
      url: 'https://example.org/',
      events: ['vote_received'],
      secrets,
      createdAt: 0,
    },
    5,
  );
  await store.webhooks.setSecrets(GUILD, 'ep_1', { ...secrets, previous });
  await store.close();
}

describe('votary secret rotate', { concurrency: 3 }, () => {
  it('makes a new secret, and opens under it whatever opened under the old one', async () => {
    const home = await makeHome();
    const key = await openKey(home);
    await sealWebhook(home);
    const old = await readMaster(home);
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

    const store = await openStore({ kind: 'sqlite', path: join(home.dataDir, 'votary.db') });
    const endpoint = await store.webhooks.findEndpoint(GUILD, 'ep_1');
    await store.close();
    const { current, previous } = endpoint?.secrets ?? {};
    const { sealKey } = deriveSecrets(fresh);
    assert.equal(unseal(current ?? '', CONTEXT, sealKey), 'whsec_now');
    assert.equal(unseal(previous?.sealed ?? '', CONTEXT, sealKey), 'whsec_before');
    assert.equal(unseal(current ?? '', CONTEXT, deriveSecrets(old).sealKey), undefined);
  });

  it('keeps keys working, and refuses old cursors in words', async () => {
    const home = await makeHome({ VOTARY_PORT: '0' });
    const key = await openKey(home);
    await home.votary('premium', 'grant', GUILD, '--until', '2099-01-01');
    const votes = ['01', '02'].map((minute) =>
      JSON.stringify({
        guild_id: GUILD,
        user_id: '200000000000000001',
        timestamp: `2026-01-01T10:${minute}:00Z`,
      }),
    );
    await home.pipe(votes.join('\n'), 'votes', 'import', '-');
    const list = '/v7/guild/votes?from=2026-01-01&to=2026-01-02&limit=1';
    const first = await serve(home);
    const { pagination } = Object((await first.get(list, key)).body);
    assert.equal((await first.get(`${list}&cursor=${pagination.next_cursor}`, key)).status, 200);
    await first.stop();

    assertDone(await home.votary('secret', 'rotate'));
    const second = await serve(home);
    const old = await second.get(`${list}&cursor=${pagination.next_cursor}`, key);
    assert.deepEqual([old.status, old.body.error], [400, 'INVALID_CURSOR']);
    assert.equal((await second.get(list, key)).status, 200);
    assert.equal(await second.stop(), 0);
  });

  for (const [when, rotateFirst] of [
    ['before anything was resealed', false],
    ['after everything was resealed', true],
  ] as const) {
    it(`leaves keys that can be shown when it is cut off ${when}`, async () => {
      const home = await makeHome();
      const key = await openKey(home);
      const old = await readMaster(home);
      if (rotateFirst) assertDone(await home.votary('secret', 'rotate'));
      const fresh = rotateFirst ? await readMaster(home) : 'f'.repeat(64);
      await writeFile(join(home.dataDir, 'secret'), `${old}\n${fresh}\n`);

      assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });
      // The next rotation tidies up, and loses nothing either.
      assert.equal(Object(await home.json('secret', 'rotate')).api_keys, 1);
      assert.match(await readMaster(home), /^[0-9a-f]{64}$/);
      assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });
    });
  }

  it('refuses while a server runs, and changes nothing', async () => {
    const home = await makeHome({ VOTARY_PORT: '0' });
    const key = await openKey(home);
    const old = await readMaster(home);
    const served = await serve(home);
    assertFailed(await home.votary('secret', 'rotate'), /is in use: stop the server/);
    assert.equal(await served.stop(), 0);
    assert.equal(await readMaster(home), old);
    assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });
  });

  it('takes the new secret from a variable where the old one is in one, on PostgreSQL', async (t) => {
    const { url, drop } = await createTestDatabase();
    t.after(drop);
    const [old, fresh] = ['the first secret for tests', 'the second secret for tests'];
    const home = await makeHome({
      VOTARY_DATABASE_URL: url,
      VOTARY_SECRET: old,
      VOTARY_NEW_SECRET: fresh,
      SHORT: 'short',
      SAME: old,
    });
    const key = await openKey(home);
    assertFailed(await home.votary('secret', 'rotate', '--to-env', 'MISSING'), /set MISSING \(openssl/);
    assertFailed(await home.votary('secret', 'rotate', '--to-env', 'SHORT'), /SHORT must be at least 16/);
    assertFailed(await home.votary('secret', 'rotate', '--to-env', 'SAME'), /SAME holds the present secret/);
    const outcome = await home.votary('secret', 'rotate');
    assertDone(outcome);
    assert.match(outcome.stdout, /Set VOTARY_SECRET to the value of VOTARY_NEW_SECRET/);
    assert.ok(!outcome.stdout.includes(fresh));
    // Repeated, as after a connection that broke before the answer.
    assert.equal(Object(await home.json('secret', 'rotate')).api_keys, 1);

    const later = await makeHome({ VOTARY_DATABASE_URL: url, VOTARY_SECRET: fresh, VOTARY_PORT: '0' });
    assert.deepEqual(await later.json('key', 'show', GUILD), { guild_id: GUILD, key });
    assertFailed(await home.votary('key', 'show', GUILD), /stored under another VOTARY_SECRET/);

    const served = await serve(later);
    assert.equal((await served.get('/readyz')).status, 200);
    assertFailed(
      await home.votary('secret', 'rotate'),
      /in use by \d+ other connections of Votary: stop every server/,
    );
    assert.equal(await served.stop(), 0);
  });
});
