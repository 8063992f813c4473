import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/scrypt';
import { decodeCursor, encodeCursor } from '../../src/api/v7/votes/list-cursor.ts';
import { deriveSecrets, keysOf, seal, unseal } from '../../src/domain/secrets.ts';
import { SESSION_COOKIE } from '../../src/site/session.ts';
import { proofOfWork } from '../../src/voting/proof-of-work.ts';
import { openSessionIssuer } from '../../torture/lib/sessions.ts';
import { assertDone, assertFailed, finish, GUILD, type Home, makeHome, voteLine } from '../cli/votary.ts';
import { newHttpsVisitor } from '../support/https-visitor.ts';
import { createTestDatabase } from '../support/postgres/postgres.ts';
import { type Served, serve } from '../support/serve.ts';

const [OLD, NEW] = ['the old secret of this test', 'the new secret of this test'];
const LIST = '/v7/guild/votes?from=2026-01-01&to=2026-01-03&limit=1';

/** Processes of one service in each step of a rollout. */
type Nodes = Record<'oldOnly' | 'readsNew' | 'readsOld' | 'newOnly', Home>;

async function makeNodes(variables: Record<string, string>): Promise<Nodes> {
  const node = (secret: string, previous?: string) =>
    makeHome({
      ...{ ...variables, VOTARY_PORT: '0', VOTARY_SECRET: secret },
      ...(previous === undefined ? {} : { VOTARY_SECRET_PREVIOUS: previous }),
    });
  return {
    oldOnly: await node(OLD),
    readsNew: await node(OLD, NEW),
    readsOld: await node(NEW, OLD),
    newOnly: await node(NEW),
  };
}

async function makePostgresNodes(t: TestContext): Promise<Nodes> {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  return makeNodes({ VOTARY_DATABASE_URL: url });
}

/** A guild with Premium and two votes. */
async function makeGuild(home: Home): Promise<string> {
  assertDone(await home.votary('guild', 'add', GUILD));
  assertDone(await home.votary('premium', 'grant', GUILD, '--until', '2099-01-01'));
  const votes = [1, 2].map((day) => voteLine({ timestamp: `2026-01-0${day}T10:00:00.000Z` }));
  await home.pipe(votes.join('\n'), 'votes', 'import', '-');
  return newKey(home);
}

async function newKey(home: Home): Promise<string> {
  return Object(await home.json('key', 'generate', GUILD)).key;
}

async function shownKey(home: Home): Promise<string> {
  return Object(await home.json('key', 'show', GUILD)).key;
}

async function cursorOf(served: Served, key: string): Promise<string> {
  return Object((await served.get(LIST, key)).body.pagination).next_cursor;
}

async function statusWith(served: Served, key: string, cursor: string): Promise<number> {
  return (await served.get(`${LIST}&cursor=${cursor}`, key)).status;
}

/** The session cookie of a user who signed in with this master secret. */
async function sessionUnder(master: string): Promise<string> {
  const issuer = await openSessionIssuer(deriveSecrets(master), { isDemo: true });
  const { cookie } = await issuer.issue('200000000000000001');
  await issuer.close();
  return cookie;
}

/** Whether the cookie signs in, and the cookie that replaces it. */
async function visit(served: Served, cookie: string) {
  const visitor = newHttpsVisitor(served.url);
  const { status, headers } = await visitor.get('/dashboard', { cookie });
  visitor.close();
  const cookies = [headers['set-cookie'] ?? []].flat().map(String);
  const replaced = cookies.find((text) => text.startsWith(SESSION_COOKIE));
  return { isSignedIn: status === 200, replaced: replaced?.split(';')[0] };
}

describe('VOTARY_SECRET_PREVIOUS', { concurrency: 2 }, () => {
  it('lets two processes change their secret one after the other, without an interruption', async (t) => {
    const { oldOnly, readsNew, readsOld, newOnly } = await makePostgresNodes(t);
    const oldKey = await makeGuild(oldOnly);
    const [oldSession, newSession] = [await sessionUnder(OLD), await sessionUnder(NEW)];

    // First every process learns to read the new secret, next to processes that do not know it yet.
    const [first, second] = [
      await serve(readsNew, '--demo', '--json'),
      await serve(oldOnly, '--demo', '--json'),
    ];
    assert.equal(await statusWith(second, oldKey, await cursorOf(first, oldKey)), 200);
    assert.ok((await visit(first, oldSession)).isSignedIn);
    assert.equal(await second.stop(), 0);

    // Then one after the other encrypts with it.
    const third = await serve(readsOld, '--demo', '--json');
    for (const [issuer, reader] of [
      [first, third],
      [third, first],
    ] as const) {
      assert.equal(await statusWith(reader, oldKey, await cursorOf(issuer, oldKey)), 200);
      for (const session of [oldSession, newSession]) {
        assert.ok((await visit(reader, session)).isSignedIn);
      }
    }
    const key = await newKey(readsOld);
    assert.equal(await shownKey(readsNew), key);
    const cursor = await cursorOf(first, key);
    assert.equal(await first.stop(), 0);
    assert.equal(await statusWith(third, key, cursor), 200);

    // Then everything is re-encrypted while they run, and the old secret is no longer needed for it.
    assertFailed(await finish(newOnly.start('serve')), /VOTARY_SECRET does not match this database/);
    const rotated = { rotated: true, api_keys: 1, webhook_secrets: 0, unreadable: 0 };
    assert.deepEqual(await readsOld.json('secret', 'rotate'), rotated);
    assert.equal(await statusWith(third, key, cursor), 200);
    const { isSignedIn, replaced } = await visit(third, oldSession);
    assert.ok(isSignedIn);
    assert.equal(await third.stop(), 0);

    assert.equal(await shownKey(newOnly), key);
    const last = await serve(newOnly, '--demo', '--json');
    assert.ok((await visit(last, replaced ?? '')).isSignedIn);
    assert.ok(!(await visit(last, oldSession)).isSignedIn);
    assert.equal(await statusWith(last, key, cursor), 400);
    assert.equal(await last.stop(), 0);
    assertFailed(await finish(oldOnly.start('serve')), /VOTARY_SECRET does not match this database/);
  });

  it('lets a SQLite service move from its file to a variable, and re-encrypt while it runs', async () => {
    const file = await makeHome({ VOTARY_PORT: '0' });
    const key = await makeGuild(file);
    const given = { VOTARY_PORT: '0', VOTARY_DATA_DIR: file.dataDir, VOTARY_SECRET: NEW };
    const secretFile = join(file.dataDir, 'secret');
    const both = await makeHome({ ...given, VOTARY_SECRET_PREVIOUS_FILE: secretFile });
    const served = await serve(both);
    assert.equal(await shownKey(both), key);
    assert.equal(Object(await both.json('secret', 'rotate')).api_keys, 1);
    assert.equal((await served.get(LIST, key)).status, 200);
    assert.equal(await served.stop(), 0);
    const alone = await makeHome(given);
    assert.equal(await shownKey(alone), key);
  });

  it('does not help if neither secret matches the database', async () => {
    const home = await makeHome({ VOTARY_SECRET: 'a third secret of this test' });
    await makeGuild(home);
    const nodes = await makeNodes({ VOTARY_DATA_DIR: home.dataDir });
    const expected = /neither VOTARY_SECRET nor VOTARY_SECRET_PREVIOUS matches this database/;
    assertFailed(await finish(nodes.readsOld.start('serve')), expected);
    assertFailed(await nodes.readsOld.votary('secret', 'rotate'), /does not match this database/);
  });

  it('is checked by doctor, which says what is left to do', async () => {
    const { oldOnly, readsOld } = await makeNodes({ VOTARY_DATA_DIR: (await makeHome()).dataDir });
    await makeGuild(oldOnly);
    const checkOf = async () => {
      const { stdout } = await readsOld.votary('doctor', '--json');
      const checks: { check: string; status: string; message: string }[] = JSON.parse(stdout).checks;
      return checks.find(({ check }) => check === 'secret');
    };
    const before = await checkOf();
    assert.equal(before?.status, 'warning');
    assert.match(before?.message ?? '', /VOTARY_SECRET_PREVIOUS matches the database/);
    assertDone(await readsOld.votary('secret', 'rotate'));
    assert.equal((await checkOf())?.status, 'ok');
  });

  it('is part of the old secret when a third one replaces both', async () => {
    const given = { VOTARY_DATA_DIR: (await makeHome()).dataDir };
    const { oldOnly } = await makeNodes(given);
    const key = await makeGuild(oldOnly);
    const third = 'a third secret of this test';
    const rotating = await makeHome({
      ...{ ...given, VOTARY_SECRET: NEW, VOTARY_SECRET_PREVIOUS: OLD },
      VOTARY_NEW_SECRET: third,
    });
    assert.equal(Object(await rotating.json('secret', 'rotate')).unreadable, 0);
    assert.equal(await shownKey(await makeHome({ ...given, VOTARY_SECRET: third })), key);
  });

  it('needs VOTARY_SECRET, and must differ from it', async () => {
    const lonely = await makeHome({ VOTARY_SECRET_PREVIOUS: OLD });
    assertFailed(await lonely.votary('guild', 'list'), /VOTARY_SECRET_PREVIOUS is set without VOTARY_SECRET/);
    const same = await makeHome({ VOTARY_SECRET: OLD, VOTARY_SECRET_PREVIOUS: OLD });
    assertFailed(await same.votary('guild', 'list'), /VOTARY_SECRET_PREVIOUS is the same secret/);
    const short = await makeHome({ VOTARY_SECRET: OLD, VOTARY_SECRET_PREVIOUS: 'short' });
    assertFailed(await short.votary('guild', 'list'), /VOTARY_SECRET_PREVIOUS must be at least 16/);
    const weak = await makeHome({ VOTARY_SECRET: NEW, VOTARY_SECRET_PREVIOUS: 'changeme-changeme' });
    assertDone(await weak.votary('guild', 'list'));
  });
});

describe('with a previous secret', () => {
  const [old, both, fresh] = [OLD, `${NEW}\n${OLD}`, NEW].map((master) => deriveSecrets(master));
  assert.ok(old && both && fresh);

  it('sealed texts and cursors of both are read, and those of the new one are written', () => {
    assert.equal(unseal(seal('text', 'context', old.sealKey), 'context', both.sealKey), 'text');
    assert.equal(unseal(seal('text', 'context', both.sealKey), 'context', fresh.sealKey), 'text');
    const scope = { guildId: GUILD, userId: null };
    const cursor = { period: { from: 1, to: 2 }, total: 3, after: { castAt: 1, userId: '2' } };
    assert.deepEqual(decodeCursor(encodeCursor(cursor, scope, old.cursorKey), scope, both.cursorKey), cursor);
    assert.equal(encodeCursor(cursor, scope, both.cursorKey), encodeCursor(cursor, scope, fresh.cursorKey));
    assert.equal(decodeCursor(encodeCursor(cursor, scope, both.cursorKey), scope, old.cursorKey), undefined);
  });

  it('networks are hashed with the new one', () => {
    assert.deepEqual(both.networkKey, fresh.networkKey);
    assert.deepEqual(keysOf(both.networkKey), [fresh.networkKey]);
  });

  it('challenges of both are accepted', async () => {
    const proofs = (key: Buffer) =>
      proofOfWork({
        integrity: { useChallenge: async () => true },
        ...{ clock: () => 0, key, onStoreFailure: () => {}, work: { keys: 2, memoryKib: 16 } },
      });
    const voter = { guildId: GUILD, userId: '200000000000000001' };
    const solved = async (key: Buffer) => {
      const challenge = await proofs(key).issue(voter, { cost: 1, maxAccounts: 5 });
      const solution = await solveChallenge({ challenge, deriveKey });
      return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
    };
    const accepted = { kind: 'passed', maxAccounts: 5 };
    assert.deepEqual(await proofs(both.challengeKey).check(await solved(old.challengeKey), voter), accepted);
    assert.deepEqual(
      await proofs(fresh.challengeKey).check(await solved(both.challengeKey), voter),
      accepted,
    );
    const forged = { kind: 'failed', problem: 'forged' };
    assert.deepEqual(await proofs(fresh.challengeKey).check(await solved(old.challengeKey), voter), forged);
  });
});
