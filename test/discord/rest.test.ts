import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { createDiscordRest, DiscordFailure } from '../../src/discord/rest.ts';
import { portOf } from '../http/support.ts';
import { NOW } from '../support/api.ts';
import { testClock } from '../support/clock.ts';

type Sent = { request: string; headers: IncomingHttpHeaders; body: string };
/** `none`: the server reads the request and never responds. */
type Reply = { status?: number; body?: string; headers?: Record<string, string> } | 'none';

const CHANNELS = '/users/@me/channels';

/** A client of a server that gives the replies in order, and the last one again. */
async function open(t: TestContext, replies: Reply[], timeoutMs = 60_000) {
  const sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    sent.push({
      request: `${request.method} ${request.url}`,
      headers: request.headers,
      body: await text(request),
    });
    const reply = replies[Math.min(sent.length, replies.length) - 1] ?? {};
    if (reply === 'none') return;
    response.writeHead(reply.status ?? 200, reply.headers).end(reply.body ?? '{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const clock = testClock(NOW);
  const api = `http://127.0.0.1:${portOf(server)}/api/v10`;
  const rest = createDiscordRest({
    api,
    botToken: 'the.bot.token',
    userAgent: 'DiscordBot (https://votes.example.org, 1.2.3)',
    clock,
    timeoutMs,
  });
  return { api, rest, clock, sent };
}

async function failure(work: Promise<unknown>): Promise<DiscordFailure> {
  const error: unknown = await work.then(
    () => assert.fail('the request succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DiscordFailure);
  return error;
}

const json = (body: object) => JSON.stringify(body);

describe('a request to Discord', () => {
  it('has the bot token, the user agent that Discord requires, and a JSON body', async (t) => {
    const { rest, sent } = await open(t, [{ body: '{"id":"9"}' }]);
    assert.deepEqual(await rest.request('POST', CHANNELS, { recipient_id: '2' }), { id: '9' });
    const [{ request, headers, body } = { request: '', headers: {}, body: '' }] = sent;
    assert.equal(request, `POST /api/v10${CHANNELS}`);
    assert.equal(headers.authorization, 'Bot the.bot.token');
    assert.equal(headers['user-agent'], 'DiscordBot (https://votes.example.org, 1.2.3)');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(body, '{"recipient_id":"2"}');
  });

  it('without a body has no content type, and keeps its query', async (t) => {
    const { rest, sent } = await open(t, [{ body: '[]' }]);
    assert.deepEqual(await rest.request('GET', '/channels/1/messages?limit=25'), []);
    assert.equal(sent[0]?.request, 'GET /api/v10/channels/1/messages?limit=25');
    assert.equal(sent[0]?.headers['content-type'], undefined);
  });

  it('that edits a response does not have the bot token, and escapes the token of the interaction', async (t) => {
    const { rest, sent } = await open(t, [{ status: 204, body: '' }]);
    const followUp = { applicationId: '4', token: 'a/b?c' };
    await rest.editResponse(followUp, {
      content: 'x',
      flags: 0,
      components: [],
      allowed_mentions: { parse: [] },
    });
    assert.equal(sent[0]?.request, 'PATCH /api/v10/webhooks/4/a%2Fb%3Fc/messages/@original');
    assert.equal(sent[0]?.headers.authorization, undefined);
  });

  it('is not repeated at the address of a redirect', async (t) => {
    const other = await open(t, [{}]);
    const { rest, sent } = await open(t, [{ status: 307, headers: { location: `${other.api}/b` } }]);
    assert.equal((await failure(rest.request('GET', '/a'))).reason, 'unknown');
    assert.deepEqual([sent.length, other.sent.length], [1, 0]);
  });
});

describe('a failed request to Discord', () => {
  const cases: [name: string, reply: Exclude<Reply, 'none'>, expected: [string, string]][] = [
    [
      'refused by the settings of a user is forbidden',
      { status: 403, body: json({ message: 'Cannot send messages to this user', code: 50007 }) },
      ['forbidden', 'Cannot send messages to this user'],
    ],
    [
      'about something that does not exist is forbidden',
      { status: 404, body: json({ message: 'Unknown Channel', code: 10003 }) },
      ['forbidden', 'Unknown Channel'],
    ],
    ['refused by a proxy is unknown', { status: 403, body: '<h1>Forbidden</h1>' }, ['unknown', 'status 403']],
    [
      'about an unknown path is unknown',
      { status: 404, body: json({ message: '404: Not Found', code: 0 }) },
      ['unknown', '404: Not Found'],
    ],
    [
      'with a wrong token is unauthorized',
      { status: 401, body: json({ message: '401: Unauthorized', code: 0 }) },
      ['unauthorized', '401: Unauthorized'],
    ],
    [
      'with invalid fields is rejected and names them',
      {
        status: 400,
        body: json({ message: 'Invalid Form Body', code: 50035, errors: { nonce: 'too long' } }),
      },
      ['rejected', 'Invalid Form Body: {"nonce":"too long"}'],
    ],
    ['with another client error is rejected', { status: 413, body: '' }, ['rejected', 'status 413']],
    ['because of an error of Discord is unknown', { status: 502, body: 'x' }, ['unknown', 'status 502']],
    [
      'whose response is not JSON is unknown',
      { status: 200, body: '<p>Welcome to the hotel</p>' },
      ['unknown', 'the response is not JSON'],
    ],
  ];
  for (const [name, reply, expected] of cases) {
    it(name, async (t) => {
      const { rest } = await open(t, [reply]);
      const { reason, message } = await failure(rest.request('POST', '/a', {}));
      assert.deepEqual([reason, message], expected);
    });
  }

  it('without a response in time is unknown', async (t) => {
    const { rest } = await open(t, ['none'], 100);
    const { reason, message } = await failure(rest.request('POST', '/a', {}));
    assert.equal(reason, 'unknown');
    assert.match(message, /timeout/);
  });

  it('without a connection is unknown and has the reason of the system', async () => {
    const api = 'http://127.0.0.1:1';
    const rest = createDiscordRest({ api, botToken: null, userAgent: 'x', clock: testClock(NOW) });
    const { reason, message } = await failure(rest.request('GET', '/a'));
    assert.equal(reason, 'unknown');
    assert.match(message, /ECONNREFUSED|bad port/);
  });
});

describe('a rate limit of Discord', () => {
  const limitedBy = (headers: Record<string, string>, body = '{}'): Reply => ({ status: 429, headers, body });
  const ROUTE = { 'retry-after': '3', 'x-ratelimit-scope': 'user' };

  it('on a route rejects its requests without sending them until the time is over', async (t) => {
    const { rest, clock, sent } = await open(t, [limitedBy(ROUTE), {}]);
    const first = await failure(rest.request('POST', CHANNELS, {}));
    assert.deepEqual([first.reason, first.retryAfterMs], ['limited', 3000]);
    clock.advance(2999);
    const second = await failure(rest.request('POST', CHANNELS, {}));
    assert.deepEqual([second.reason, second.retryAfterMs, sent.length], ['limited', 1, 1]);
    await rest.request('POST', '/channels/1/messages', {});
    await rest.request('GET', CHANNELS);
    clock.advance(1);
    await rest.request('POST', CHANNELS, {});
    assert.equal(sent.length, 4);
  });

  it('on a route with different queries is the same', async (t) => {
    const { rest, sent } = await open(t, [limitedBy(ROUTE), {}]);
    await failure(rest.request('GET', '/channels/1/messages?limit=1'));
    await failure(rest.request('GET', '/channels/1/messages?limit=2'));
    assert.equal(sent.length, 1);
  });

  it('in a server is shared by its members and roles, and not by other servers', async (t) => {
    const { rest, sent } = await open(t, [limitedBy(ROUTE), {}]);
    await failure(rest.request('PUT', '/guilds/1/members/2/roles/3'));
    await failure(rest.request('PUT', '/guilds/1/members/4/roles/5'));
    assert.equal(sent.length, 1);
    await rest.request('PUT', '/guilds/6/members/2/roles/3');
    await rest.request('DELETE', '/guilds/1/members/2/roles/3');
    assert.equal(sent.length, 3);
  });

  for (const headers of [
    { 'retry-after': '3', 'x-ratelimit-scope': 'global', 'x-ratelimit-global': 'true' },
    { 'retry-after': '3', 'content-type': 'text/html' },
  ]) {
    const name = 'x-ratelimit-scope' in headers ? 'on everything' : 'by the network in front of Discord';
    it(`${name} rejects all requests`, async (t) => {
      const { rest, clock, sent } = await open(t, [limitedBy(headers, '<h1>Slow down</h1>'), {}]);
      await failure(rest.request('POST', CHANNELS, {}));
      assert.equal((await failure(rest.request('GET', '/other'))).retryAfterMs, 3000);
      clock.advance(3000);
      await rest.request('GET', '/other');
      assert.equal(sent.length, 2);
    });
  }

  it('lasts as long as the header says, or else the body, and at least a second', async (t) => {
    const waits: [Record<string, string>, string, number][] = [
      [{ 'retry-after': '2' }, json({ retry_after: 1.25 }), 2000],
      [{}, json({ retry_after: 64.57 }), 64_570],
      [{}, json({ retry_after: 0.2 }), 1000],
      [{ 'retry-after': 'soon' }, 'not JSON', 1000],
    ];
    for (const [headers, body, expected] of waits) {
      const { rest } = await open(t, [limitedBy(headers, body)]);
      assert.equal((await failure(rest.request('GET', '/a'))).retryAfterMs, expected);
    }
  });

  it('that a successful response announces applies before it is exceeded', async (t) => {
    const last = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '0.5' };
    const left = { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset-after': '0.5' };
    const { rest, clock, sent } = await open(t, [{ headers: left }, { headers: last }, {}]);
    await rest.request('POST', CHANNELS, {});
    await rest.request('POST', CHANNELS, {});
    assert.equal((await failure(rest.request('POST', CHANNELS, {}))).retryAfterMs, 500);
    clock.advance(500);
    await rest.request('POST', CHANNELS, {});
    assert.equal(sent.length, 3);
  });
});
