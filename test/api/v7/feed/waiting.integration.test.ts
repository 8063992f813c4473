import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildServer } from '../../../../src/server.ts';
import { FeedWaiters, type WaitTimer } from '../../../../src/store/announce.ts';
import type { FeedStore } from '../../../../src/store/votes/feed.ts';
import { GUILD, makeHome } from '../../../cli/votary.ts';
import { onEachDatabase, testServerDeps, USER } from '../../../support/api.ts';
import { newHttpsVisitor } from '../../../support/https-visitor.ts';
import { serveHere } from '../../../support/serve.ts';

const CLIENTS = 200;

/** Time stands still, so that on a slow machine no client gives up before the last one waits. */
const NO_TIME_PASSES: WaitTimer = { now: () => 0, after: () => () => undefined };

type Page = { votes: { user_id: string }[] };

function counting(feed: FeedStore) {
  const counts = { polls: 0, read: 0 };
  const counted: FeedStore = {
    ...feed,
    changedHeads: (...asked) => {
      counts.polls += 1;
      return feed.changedHeads(...asked);
    },
    read: (...asked) => {
      counts.read += 1;
      return feed.read(...asked);
    },
  };
  return { counts, counted };
}

onEachDatabase('clients that wait at the feed', (open) => {
  test(`${CLIENTS} of them share one poll, and all get a vote that another process accepts`, async (t) => {
    const { store, clock, secrets, guildId, key } = await open();
    const { counts, counted } = counting(store.feed);
    const feedWaiters = new FeedWaiters(counted, 5, NO_TIME_PASSES);
    const app = buildServer({
      ...testServerDeps({ ...store, feed: counted }, clock, secrets),
      rateLimit: { requests: 10 * CLIENTS, windowMs: 60_000 },
      feedWaiters,
    });
    t.after(() => app.close());
    const get = async (path: string): Promise<Page & { next_cursor: string }> =>
      (await app.inject({ url: path, headers: { authorization: `Bearer ${key}` } })).json();
    const { next_cursor } = await get('/v7/guild/feed');
    const waiting = Array.from({ length: CLIENTS }, () =>
      get(`/v7/guild/feed?cursor=${next_cursor}&wait=30`),
    );
    while (feedWaiters.size < CLIENTS) await nextTurn();

    const before = { ...counts };
    while (counts.polls < before.polls + 5) await nextTurn();
    assert.equal(feedWaiters.size, CLIENTS);
    assert.equal(counts.read, before.read, 'a waiting client asked the database itself');

    // This process is not notified: the next poll finds the vote.
    await store.votes.cast({ guildId, userId: USER, castAt: clock(), externalId: null, isDoubled: false });
    const pages = await Promise.all(waiting);
    assert.ok(pages.every(({ votes }) => votes.length === 1 && votes[0]?.user_id === USER));
    assert.equal(counts.read, before.read + CLIENTS);
    assert.equal(feedWaiters.size, 0);
  });
});

test('a service that stops completes waiting requests with an empty page and a cursor to continue from', async (t) => {
  const home = await makeHome({ VOTARY_PORT: '0' });
  await home.votary('guild', 'add', GUILD);
  const { key } = Object(await home.json('key', 'generate', GUILD));
  const served = await serveHere(home);
  const visitor = newHttpsVisitor(served.url);
  t.after(() => visitor.close());
  const headers = { authorization: `Bearer ${key}` };
  const waiting = [1, 2, 3].map(() => visitor.get('/v7/guild/feed?wait=30', headers));
  // Requests are counted when they arrive, so the rate limit header of this one shows how many have.
  for (let checks = 1; checks < 20; checks += 1) {
    const { headers: answered } = await visitor.get('/v7/vote-check?external_id=x', headers);
    if (String(answered.ratelimit).includes(`r=${30 - 3 - checks};`)) break;
  }
  await served.stop();
  for (const { status, text } of await Promise.all(waiting)) {
    assert.equal(status, 200);
    const page = JSON.parse(text);
    assert.deepEqual([page.votes, page.has_more], [[], false]);
    assert.ok(page.next_cursor.length > 10);
  }
});
