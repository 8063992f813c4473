import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import type { LiveOptions } from '../../../src/site/deps.ts';
import { FeedWaiters } from '../../../src/store/announce.ts';
import type { Store } from '../../../src/store/store.ts';
import { voteOf } from '../../store/fixtures.ts';
import { ANSWERED, addEndpoint, claimOne } from '../../store/webhook-fixtures.ts';
import { type Api, onAnyDatabase, USER } from '../../support/api.ts';
import { type Dashboard, openDashboard } from './open-dashboard.ts';

const POLL_MS = 5;
const FOREVER_MS = 600_000;

type Stream = {
  status: number;
  headers: Record<string, unknown>;
  /** The rest of the stream, until it has this text. */
  until(text: string): Promise<string>;
  /** Everything that follows, until the server ends the stream. */
  rest(): Promise<string>;
  close(): Promise<void>;
};

async function openLive(t: Parameters<typeof openDashboard>[0], api: Api, live: Partial<LiveOptions> = {}) {
  const feedWaiters = new FeedWaiters(api.store.feed, POLL_MS);
  const quick = { lifetimeMs: FOREVER_MS, gapMs: 1, deliveriesMs: POLL_MS, ...live };
  return openDashboard(t, api, null, { feedWaiters, live: quick });
}

async function follow({ app, alex, path }: Dashboard, query: string, headers = {}): Promise<Stream> {
  const answer = await app.inject({
    url: path(`/live${query}`),
    headers,
    cookies: Object.fromEntries(alex.cookies),
    payloadAsStream: true,
  });
  const source: Readable = answer.stream();
  let text = '';
  source.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const take = (): string => {
    const taken = text;
    text = '';
    return taken;
  };
  return {
    status: answer.statusCode,
    headers: answer.headers,
    async until(wanted) {
      while (!text.includes(wanted)) await once(source, 'data');
      return take();
    },
    async rest() {
      if (!source.readableEnded) await once(source, 'end');
      return take();
    },
    async close() {
      answer.raw.res.destroy();
    },
  };
}

const cast = (store: Store, guildId: string, userId: string, castAt: number) =>
  store.votes.cast(voteOf(guildId, { userId, castAt }));

onAnyDatabase('live updates of the dashboard', (open) => {
  test('report a vote that another process accepted, with the state to continue from', async (t) => {
    const dashboard = await openLive(t, await open());
    const { store, guildId, clock } = dashboard;
    const stream = await follow(dashboard, '?of=votes&after=0');
    assert.equal(stream.status, 200);
    assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(stream.headers['cache-control'], 'no-store, no-transform');
    await cast(store, guildId, USER, clock());
    assert.match(await stream.until('data: 1\n\n'), /id: 1\nevent: change\n/);
    await cast(store, guildId, `${USER}1`, clock());
    assert.match(await stream.until('data: 2\n\n'), /id: 2\nevent: change\n/);
    await stream.close();
  });

  test('report immediately what happened while the browser was disconnected, and nothing else', async (t) => {
    const dashboard = await openLive(t, await open());
    const { store, guildId, clock } = dashboard;
    await cast(store, guildId, USER, clock());
    const [late, current, again] = await Promise.all([
      follow(dashboard, '?after=0'),
      follow(dashboard, '?after=1'),
      follow(dashboard, '?after=0', { 'last-event-id': '1' }),
    ]);
    await late?.until('event: change\ndata: 1\n\n');
    for (const stream of [current, again])
      assert.doesNotMatch((await stream?.until('id: 1\n')) ?? '', /change/);
    for (const stream of [late, current, again]) await stream?.close();
  });

  test('report deliveries too', async (t) => {
    const dashboard = await openLive(t, await open());
    const { store, guildId, clock, alex, path } = dashboard;
    await addEndpoint(store, guildId);
    await cast(store, guildId, USER, clock());
    const page = await alex.get(path('/webhooks'));
    const [, state] = /data-live-state="([^"]+)"/.exec(page.text) ?? [];
    const stream = await follow(dashboard, `?of=deliveries&after=${state}`);
    await stream.until(`id: ${state}\n`);
    const delivery = await claimOne(store, guildId, clock());
    await store.webhooks.finish(delivery, ANSWERED, { state: 'delivered' }, 'works');
    await stream.until('event: change\n');
    await stream.close();
  });

  test('report that a test vote was claimed', async (t) => {
    const dashboard = await openLive(t, await open());
    const { store, guildId, clock, alex, path, send } = dashboard;
    await store.testVotes.send(guildId, clock());
    const page = await alex.get(path('/key'));
    const [, state] = /live\?of=tests" data-live-state="([^"]+)"/.exec(page.text) ?? [];
    const stream = await follow(dashboard, `?of=tests&after=${state}`);
    await stream.until(`id: ${state}\n`);
    await send('POST', '/v7/guild/claims?external_id=Votary_Test');
    await stream.until('event: change\n');
    await stream.close();
  });

  test('query the database once for all viewers of a community', async (t) => {
    const api = await open();
    const heads = t.mock.method(api.store.feed, 'heads');
    const dashboard = await openLive(t, api, { maxPerUser: 50 });
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(dashboard, '?after=0')));
    for (const stream of streams) await stream.until('id: 0\n');
    const asked = heads.mock.callCount();
    await cast(api.store, api.guildId, USER, api.clock());
    for (const stream of streams) await stream.until('data: 1\n\n');
    // Once by the shared poll, however often it runs until it sees the vote, and once for all streams.
    const forGuild = heads.mock.calls.slice(asked).length;
    assert.ok(forGuild < 20, `${forGuild} reads`);
    for (const stream of streams) await stream.close();
  });

  test('are limited per user, and closing a page makes room', async (t) => {
    const dashboard = await openLive(t, await open(), { maxPerUser: 2 });
    const streams = [await follow(dashboard, ''), await follow(dashboard, '')];
    const refused = await follow(dashboard, '');
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '30']);
    await streams[0]?.close();
    let next = await follow(dashboard, '');
    // The server notices a little later that the browser has disconnected.
    while (next.status === 429) next = await follow(dashboard, '');
    assert.equal(next.status, 200);
  });

  test('end when the server stops and after their lifetime, with keep-alive messages until then', async (t) => {
    const short = await openLive(t, await open(), { lifetimeMs: 100, heartbeatMs: 10 });
    assert.match(await (await follow(short, '')).rest(), /^retry: \d+\n\n.*: keep-alive\n\n/s);
    const dashboard = await openLive(t, await open());
    const stream = await follow(dashboard, '?after=0');
    await stream.until('id: 0\n');
    const [rest] = await Promise.all([stream.rest(), dashboard.app.close()]);
    assert.equal(rest, '');
  });

  test('end at the next change once the user has signed out or is no longer an admin', async (t) => {
    const dashboard = await openLive(t, await open());
    const { store, guildId, clock, alex, path, guildsOfAlex } = dashboard;
    const streams = [await follow(dashboard, '?after=0'), await follow(dashboard, '?after=0')];
    for (const stream of streams) await stream.until('id: 0\n');
    const copy = new Map(alex.cookies);
    await alex.submit(await alex.get(path('/key')), '/sign-out');
    await cast(store, guildId, USER, clock());
    for (const stream of streams) assert.doesNotMatch(await stream.rest(), /change/);
    for (const [name, value] of copy) alex.cookies.set(name, value);
    assert.equal((await follow(dashboard, '?after=0')).status, 303);

    await alex.signIn('Alex');
    const stream = await follow(dashboard, '?after=1');
    await stream.until('id: 1\n');
    guildsOfAlex.length = 0;
    await cast(store, guildId, `${USER}1`, clock());
    assert.doesNotMatch(await stream.rest(), /change/);
  });

  test('are for admins of the community only', async (t) => {
    const dashboard = await openLive(t, await open(), { lifetimeMs: 10 });
    const { sam, charlie, alex, path, guildsOfAlex } = dashboard;
    for (const visitor of [sam, charlie]) assert.equal((await visitor.get(path('/live'))).status, 403);
    assert.equal((await alex.get(path('/live'))).status, 200);
    guildsOfAlex.length = 0;
    assert.equal((await alex.get(path('/live'))).status, 403);
  });
});
