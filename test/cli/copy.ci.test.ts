/** What the users of a site notice of a move to another database: nothing. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { DatabaseUrl } from '../../src/config.ts';
import { SECOND_MS } from '../../src/domain/clock.ts';
import { generateApiKey, hashApiKey } from '../../src/domain/keys/api-key.ts';
import { generateMasterSecret } from '../../src/secrets/master-secret.ts';
import { demoSignIn } from '../../src/site/sign-in/demo-sign-in.ts';
import { lockForService } from '../../src/store/open.ts';
import { openSignIn, personOf, signInAsDemo, type Visitor } from '../site/sign-in/support.ts';
import { create, PAIRS } from '../store/copy/fixture.ts';
import type { FreshDatabase } from '../store/fixtures.ts';
import { type Fixture, MASTER_SECRET, openFixture } from '../webhooks/fixture.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { assertBadUsage, assertDone, assertFailed, makeHome } from './votary.ts';

const ALEX = '200000000000000101';
const SAM = '200000000000000102';

function urlOf(database: DatabaseUrl): string {
  return database.kind === 'sqlite' ? `sqlite:${database.path}` : database.url;
}

function homeOf({ database }: FreshDatabase) {
  return makeHome({ VOTARY_DATABASE_URL: urlOf(database), VOTARY_SECRET: generateMasterSecret() });
}

/** The site on a database: its API, its pages and its webhooks. */
async function openSite(t: TestContext, { database }: FreshDatabase) {
  const fixture = await openFixture({ database });
  const { store, clock } = fixture;
  const site = await openSignIn(t, () => demoSignIn(), { store, clock, secret: MASTER_SECRET });
  const call = async (method: 'GET' | 'POST', url: string, key: string, headers = {}) => {
    const response = await site.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
    assert.equal(response.statusCode, 200, response.payload);
    return { text: response.payload, body: response.json() };
  };
  return { fixture, visitor: site.visitor, call };
}

type Site = Awaited<ReturnType<typeof openSite>>;

async function readFeed({ call }: Site, key: string, query: string) {
  const { body } = await call('GET', `/v7/guild/feed?${query}`, key);
  return { users: body.votes.map((vote: { user_id: string }) => vote.user_id), cursor: body.next_cursor };
}

async function setKey({ store, clock }: Fixture, guildId: string): Promise<string> {
  const key = generateApiKey();
  await store.guilds.setKey(guildId, { hash: hashApiKey(key), sealed: 'unused', createdAt: clock() });
  return key;
}

function adopt(visitor: Visitor, cookies: ReadonlyMap<string, string>): Visitor {
  for (const [name, value] of cookies) visitor.cookies.set(name, value);
  return visitor;
}

describe('votary copy', () => {
  for (const [from, to] of PAIRS.slice(0, 2)) {
    it(`from ${from} to ${to}: keys, claims, feed, webhooks and sessions continue`, async (t) => {
      const [source, target] = [await create(from), await create(to)];
      const receiver = await startReceiver();
      const before = await openSite(t, source);
      const { guildId } = await before.fixture.addEndpoint(receiver.url);
      const key = await setKey(before.fixture, guildId);
      const first = await before.fixture.vote(guildId);
      const start = new Date(before.fixture.clock() - SECOND_MS).toISOString();
      const page = await readFeed(before, key, `from=${start}`);
      assert.deepEqual(page.users, [first.userId]);
      const second = await before.fixture.vote(guildId);
      const claim = `/v7/guild/claims?discord_id=${first.userId}`;
      const retry = { 'idempotency-key': 'order-1' };
      const claimed = await before.call('POST', claim, key, retry);
      assert.equal(claimed.body.claimed, true);
      const [alex, sam] = [before.visitor(), before.visitor()];
      await signInAsDemo(alex, ALEX);
      await signInAsDemo(sam, SAM);
      const stolen = new Map(sam.cookies);
      await before.fixture.store.users.signOut(SAM, before.fixture.clock() + 1);

      const home = await homeOf(source);
      if (from === 'postgres')
        assertFailed(
          await home.votary('copy', '--to', urlOf(target.database)),
          /service is connected.*--live/,
        );
      const { rows, votes, changed } = Object(
        await home.json('copy', '--to', urlOf(target.database), '--live'),
      );
      // The site is still open. It records the first use of a key a second later, and nothing else.
      assert.deepEqual([votes, changed.filter((table: string) => table !== 'guild_milestones')], [2, []]);
      assert.ok(rows > votes);

      const now = await openSite(t, target);
      // The key is the same, and nothing is paid twice.
      assert.equal((await now.call('POST', claim, key)).body.claimed, false);
      assert.equal((await now.call('POST', claim, key, retry)).text, claimed.text);
      // The reader gets what it has not read, each vote once.
      const third = await now.fixture.vote(guildId);
      const next = await readFeed(now, key, `cursor=${page.cursor}`);
      assert.deepEqual(next.users, [second.userId, third.userId]);
      // The queue is delivered once.
      assert.equal(receiver.received.length, 0);
      await now.fixture.worker.runDue();
      await now.fixture.worker.runDue();
      assert.deepEqual(now.fixture.errors, []);
      const delivered = receiver.received.map(({ body }) => JSON.parse(body).data.user_id);
      assert.deepEqual(delivered.sort(), [first.userId, second.userId, third.userId].sort());
      // Sessions last, and those that have ended stay ended.
      assert.deepEqual(Object(personOf(await adopt(now.visitor(), alex.cookies).get('/probe'))).userId, ALEX);
      assert.equal(personOf(await adopt(now.visitor(), stolen).get('/probe')), null);
    });
  }

  it('shows what it does, and what to do next', async () => {
    const [source, target] = [await create('sqlite'), await create('sqlite')];
    const home = await makeHome({ VOTARY_DATABASE_URL: urlOf(source.database) });
    assertDone(await home.votary('migrate'));
    const { code, stdout, stderr } = await home.votary('copy', '--to', urlOf(target.database));
    assert.deepEqual([code, stderr], [0, 'Copying rows\nComparing rows\nCreating indexes\n']);
    assert.match(stdout, /^Copied 0 guilds, 0 votes and everything else: \d+ rows? in \d+ tables/);
    assert.match(stdout, /VOTARY_DATABASE_URL/);
  });

  it('reads the target from a variable, so that its password is not visible', async () => {
    const [source, target] = [await create('sqlite'), await create('sqlite')];
    const home = await makeHome({
      VOTARY_DATABASE_URL: urlOf(source.database),
      NEW_DATABASE: urlOf(target.database),
    });
    assertDone(await home.votary('migrate'));
    await home.json('copy', '--to-env', 'NEW_DATABASE');
    assertBadUsage(await home.votary('copy', '--to-env', 'OTHER'), /OTHER is not set/);
  });

  it('refuses a source on which a service runs', async () => {
    const [source, target] = [await create('sqlite'), await create('sqlite')];
    const home = await makeHome({ VOTARY_DATABASE_URL: urlOf(source.database) });
    assertDone(await home.votary('migrate'));
    const lock = await lockForService(source.database);
    assertFailed(await home.votary('copy', '--to', urlOf(target.database)), /service is running.*--live/);
    await home.json('copy', '--to', urlOf(target.database), '--live');
    lock.release();
  });

  it('explains wrong arguments and wrong databases in one line', async () => {
    const source = await create('sqlite');
    const home = await makeHome({ VOTARY_DATABASE_URL: urlOf(source.database) });
    assertBadUsage(await home.votary('copy'), /--to/);
    assertBadUsage(await home.votary('copy', '--to', 'mysql://x'), /--to must be sqlite:PATH/);
    const both = ['--resume', '--start-over'];
    assertBadUsage(await home.votary('copy', '--to', 'sqlite:x', ...both), /not both/);
    const to = ['copy', '--to', urlOf(source.database)];
    assertFailed(await home.votary(...to), /no database at .*nothing to copy/);
    assertDone(await home.votary('migrate'));
    assertFailed(await home.votary(...to), /same database/);
    assertFailed(
      await home.votary('copy', '--to', 'postgres://127.0.0.1:1/votary'),
      /cannot be opened.*correct --to/,
    );
  });
});
