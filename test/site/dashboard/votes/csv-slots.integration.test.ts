import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadCertificate } from '../../../../src/secrets/certificate.ts';
import { buildServer } from '../../../../src/server.ts';
import { portOf, testConfig } from '../../../http/support.ts';
import { type Api, NOW, onSqlite, testServerDeps } from '../../../support/api.ts';
import { newVisitor, type Visitor } from '../../visitor.ts';
import { openDashboard } from '../open-dashboard.ts';

/** A server that listens, so that a client can disconnect, and a store whose votes wait until they are released. */
async function openDownloads(t: TestContext, api: Api) {
  const { guildId, store, clock, secrets } = api;
  await api.vote({ at: NOW });
  const deps = testServerDeps(store, clock, secrets);
  const signIn = { ...deps.signIn, adminGuilds: async () => [{ guildId, name: 'A guild' }] };
  const transport = {
    kind: 'tls' as const,
    certificate: await loadCertificate(await testConfig(t), Date.now()),
  };
  const app = buildServer({ ...deps, signIn, transport });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const enter = async (name: string) => {
    const visitor = newVisitor(app);
    await visitor.signIn(name);
    return visitor;
  };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { page } = store.votes;
  t.mock.method(store.votes, 'page', async (...asked: Parameters<typeof page>) => {
    await released;
    return page(...asked);
  });
  const download = ({ cookies }: Visitor) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ');
    const path = `/dashboard/${guildId}/votes.csv?from=2026-11-10&to=2026-11-16`;
    const port = portOf(app.server);
    return get({
      host: '127.0.0.1',
      port,
      path,
      headers: { cookie },
      agent: false,
      rejectUnauthorized: false,
    });
  };
  const statusOf = async (visitor: Visitor) => {
    const [answer]: IncomingMessage[] = await once(download(visitor), 'response');
    assert.ok(answer);
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  return { enter, download, statusOf, release };
}

onSqlite('a download of votes', (open) => {
  test('is rejected with a page while the same user has one running, and only for this user', async (t) => {
    const { enter, download, statusOf, release } = await openDownloads(t, await open());
    const [alex, sam] = [await enter('Alex'), await enter('Sam')];
    const [first]: IncomingMessage[] = await once(download(alex), 'response');
    const [other]: IncomingMessage[] = await once(download(sam), 'response');
    assert.ok(first && other);
    const refused = await statusOf(alex);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '10');
    assert.match(refused.body, /You already have a download in progress/);
    release();
    for (const answer of [first, other]) assert.match(await text(answer), /2026-11-15T12:00:00.000Z/);
    assert.equal((await statusOf(alex)).status, 200);
  });

  test('ends when its client disconnects, and makes room for the next one', async (t) => {
    const { enter, download, statusOf, release } = await openDownloads(t, await open());
    const alex = await enter('Alex');
    const request = download(alex);
    await once(request, 'response');
    assert.equal((await statusOf(alex)).status, 429);
    request.on('error', () => {}).destroy();
    release();
    let { status } = await statusOf(alex);
    while (status === 429) {
      await nextTurn();
      ({ status } = await statusOf(alex));
    }
    assert.equal(status, 200);
  });

  test('reads no votes for HEAD', async (t) => {
    const { alex, app, path, store } = await openDashboard(t, await open());
    const page = t.mock.method(store.votes, 'page');
    const cookies = Object.fromEntries(alex.cookies);
    const answer = await app.inject({ method: 'HEAD', url: path('/votes.csv'), cookies });
    assert.deepEqual([answer.statusCode, answer.payload], [200, '']);
    assert.equal(answer.headers['content-length'], undefined);
    assert.equal(page.mock.callCount(), 0);
  });
});
