import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import { generate } from 'selfsigned';
import { type Resolve, reachableLookup } from '../../../src/webhooks/resolve.ts';
import { createSend, type SendDeps, type SendResult } from '../../../src/webhooks/send.ts';
import { answerWith, startReceiver, startTlsReceiver } from '../receiver.ts';

const BODY = '{"type":"webhook_test"}';
const HEADERS = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,abc' };

const noResolver: Resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));

function post(url: string, deps: Partial<SendDeps> = {}, stop?: AbortSignal): Promise<SendResult> {
  const send = createSend({
    rule: { allowsLoopback: true },
    resolve: noResolver,
    timeoutMs: 15_000,
    ...deps,
  });
  return send({ url, headers: HEADERS, body: BODY }, stop);
}

describe('sending', () => {
  test('posts the body unchanged, with its signature and a User-Agent', async () => {
    const receiver = await startReceiver();
    const result = await post(`${receiver.url}?a=1`);
    assert.deepEqual(result, { status: 200, answer: 'thank you', error: null, retryAfter: undefined });
    const [received] = receiver.received;
    assert.equal(received?.body, BODY);
    assert.equal(received?.path, '/hook?a=1');
    assert.equal(received?.headers['content-type'], 'application/json');
    assert.equal(received?.headers['user-agent'], 'Votary-Webhooks');
    assert.equal(received?.headers['webhook-id'], 'evt_1');
    assert.equal(received?.headers['webhook-signature'], 'v1,abc');
  });

  test('uses the connection again for the next event, and a new one if the receiver closed it', async () => {
    const receiver = await startReceiver();
    const sockets = new Set<object | null>();
    const send = createSend({ rule: { allowsLoopback: true }, resolve: noResolver, timeoutMs: 15_000 });
    const message = { url: receiver.url, headers: HEADERS, body: BODY };
    receiver.answer = (_request, response) => {
      sockets.add(response.socket);
      response.end('thank you');
    };
    for (let event = 0; event < 3; event += 1) assert.equal((await send(message)).status, 200);
    assert.equal(sockets.size, 1);
    let requests = 0;
    receiver.answer = (_request, response) => {
      requests += 1;
      if (requests === 1) response.socket?.resetAndDestroy();
      else response.end('again');
    };
    assert.equal((await send(message)).answer, 'again');
    assert.equal(requests, 2);
    // A new connection that is closed is a failure: the receiver may have handled the event.
    receiver.answer = (_request, response) => response.socket?.destroy();
    assert.equal((await post(receiver.url)).status, null);
  });

  test('does not follow redirects', async () => {
    const [receiver, elsewhere] = [await startReceiver(), await startReceiver()];
    for (const status of [301, 302, 307, 308]) {
      receiver.answer = answerWith(status, { location: elsewhere.url });
      const result = await post(receiver.url);
      assert.equal(result.status, status);
      assert.equal(result.error, 'REDIRECT');
    }
    assert.equal(elsewhere.received.length, 0);
  });

  test('times out, whether the response never starts or never ends', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => {};
    const silent = await post(receiver.url, { timeoutMs: 60 });
    assert.deepEqual([silent.status, silent.error], [null, 'NO_RESPONSE']);
    receiver.answer = (_request, response) => response.writeHead(200).write('first');
    const endless = await post(receiver.url, { timeoutMs: 1000 });
    assert.deepEqual([endless.status, endless.answer], [200, 'first']);
  });

  test('times out on a host that accepts the connection and sends nothing', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    server.on('connection', (socket) => socket.on('error', () => {}).unref());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    assert.equal((await post(`https://127.0.0.1:${port}/`, { timeoutMs: 60 })).status, null);
  });

  test('reads only the first 256 bytes of a response', async () => {
    const receiver = await startReceiver();
    receiver.answer = (_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => clearInterval(timer));
    };
    const { status, answer } = await post(receiver.url);
    assert.deepEqual([status, answer], [200, 'x'.repeat(256)]);
  });

  test('stores a binary response as text that every database accepts', async () => {
    const receiver = await startReceiver();
    receiver.answer = (_request, response) => response.end(Buffer.from([0, 0xff, 0x41, 0]));
    assert.equal((await post(receiver.url)).answer, '\ufffdA');
  });

  test('truncates a response between characters, to at most 256 bytes', async () => {
    const receiver = await startReceiver();
    const texts = ['x', 'é', '€', '\u{1f600}'].map((character) => `ab${character.repeat(300)}`);
    for (const text of texts) {
      for (const start of ['', 'y', 'yy', 'yyy']) {
        receiver.answer = (_request, response) => response.end(start + text);
        const { answer } = await post(receiver.url);
        assert.ok((start + text).startsWith(answer));
        assert.ok(Buffer.byteLength(answer) <= 256 && Buffer.byteLength(answer) > 252);
      }
    }
    // Every invalid byte becomes a replacement character of three bytes.
    receiver.answer = (_request, response) => response.end(Buffer.alloc(1000, 0xff));
    assert.equal((await post(receiver.url)).answer, '\ufffd'.repeat(85));
  });

  test('keeps a response that ends in the middle of a character', async () => {
    const receiver = await startReceiver();
    receiver.answer = (_request, response) => response.end(Buffer.from('ab€').subarray(0, 4));
    assert.equal((await post(receiver.url)).answer, 'ab\ufffd');
  });

  test('returns the pause of Retry-After', async () => {
    const receiver = await startReceiver();
    receiver.answer = answerWith(429, { 'retry-after': '120' });
    assert.deepEqual(await post(receiver.url), { status: 429, answer: '', error: null, retryAfter: '120' });
  });

  test('survives a receiver that speaks another protocol, disconnects, or is unreachable', async () => {
    const replies = [
      '',
      'SSH-2.0-OpenSSH\r\n',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ];
    for (const reply of replies) {
      const server = createServer((socket) =>
        socket
          .on('error', () => {})
          .resume()
          .end(reply),
      ).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const result = await post(`http://127.0.0.1:${port}/`);
      assert.equal(result.status, null);
      assert.ok(result.error);
      await new Promise((resolve) => server.close(resolve));
      assert.equal((await post(`http://127.0.0.1:${port}/`)).error, 'CONNECTION_REFUSED');
    }
    assert.equal((await post('https://nobody.example/')).error, 'HOST_NOT_FOUND');
  });

  test('rejects a forbidden port at every attempt, even if it was allowed when it was set', async () => {
    for (const url of ['https://93.184.215.14:25/', 'http://127.0.0.1:22/']) {
      const result = await post(url);
      assert.equal(result.status, null);
      assert.equal(result.error, 'FORBIDDEN_PORT');
    }
  });

  test('stops when it is aborted', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => stop.abort();
    const stop = new AbortController();
    assert.equal((await post(receiver.url, {}, stop.signal)).status, null);
  });

  test('rejects untrusted certificates and certificates of another host', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'bot.example' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'bot.example' }] }],
    });
    const receiver = await startTlsReceiver({ cert, key });
    const { port } = new URL(receiver.url);
    const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const good = `https://bot.example:${port}/hook`;
    assert.equal((await post(good, { resolve, ca: cert })).status, 200);
    assert.equal((await post(good, { resolve })).error, 'CERTIFICATE_SELF_SIGNED');
    const wrong = await post(`https://other.example:${port}/hook`, { resolve, ca: cert });
    assert.equal(wrong.error, 'CERTIFICATE_WRONG_HOST');
    assert.equal(receiver.received.length, 1);
  });
});

describe('sending to a private network', () => {
  const rule = { allowsLoopback: false };

  test('is rejected at every attempt, even if the address was allowed when it was set', async () => {
    const receiver = await startReceiver();
    const result = await post(receiver.url, { rule });
    assert.equal(result.error, 'PRIVATE_ADDRESS');
    assert.equal(receiver.received.length, 0);
  });

  test('is rejected for a name that first resolves to a public address and then to this machine', async () => {
    const receiver = await startReceiver();
    const answers = ['93.184.215.14', '127.0.0.1'];
    let asked = 0;
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: answers[asked - 1] ?? '127.0.0.1', family: 4 }];
    };
    // The check when the endpoint is set, which sees the public address.
    await rebinding('rebind.example');
    const { port } = new URL(receiver.url);
    const result = await post(`https://rebind.example:${port}/hook`, { rule, resolve: rebinding });
    assert.equal(result.error, 'PRIVATE_ADDRESS');
    assert.equal(asked, 2);
    assert.equal(receiver.received.length, 0);
  });

  test('is rejected for a name with one public and one private address', async () => {
    const mixed: Resolve = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '::ffff:10.0.0.1', family: 6 },
    ];
    const result = await post('https://mixed.example/', { rule, resolve: mixed });
    assert.equal(result.error, 'PRIVATE_ADDRESS');
  });

  test('connects to the addresses that were checked, resolved once', async () => {
    let asked = 0;
    const resolve: Resolve = async () => {
      asked += 1;
      return [{ address: '93.184.215.14', family: 4 }];
    };
    const lookup = reachableLookup(resolve, rule);
    const all = await new Promise((done) =>
      lookup('a.example', { all: true }, (_error, found) => done(found)),
    );
    assert.deepEqual(all, [{ address: '93.184.215.14', family: 4 }]);
    const one = await new Promise((done) =>
      lookup('a.example', {}, (_error, found, family) => done([found, family])),
    );
    assert.deepEqual(one, ['93.184.215.14', 4]);
    assert.equal(asked, 2);
    const none = reachableLookup(async () => [], rule);
    assert.ok((await new Promise((done) => none('a.example', {}, done))) instanceof Error);
  });

  test('uses only the allowed addresses of a name, if the operator allows some of them', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const resolve: Resolve = async () => [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
      { address: '93.184.215.14', family: 4 },
    ];
    const some = { allowsLoopback: false, allowed: ['127.0.0.0/8'] };
    assert.equal((await post(`http://localhost:${port}/hook`, { rule: some, resolve })).status, 200);
    const found = await new Promise((done) =>
      reachableLookup(resolve, some)('localhost', { all: true }, (_error, addresses) => done(addresses)),
    );
    assert.deepEqual(found, [{ address: '127.0.0.1', family: 4 }]);
    const others = { allowsLoopback: false, allowed: ['10.0.0.0/8'] };
    assert.equal((await post('https://localhost/', { rule: others, resolve })).error, 'PRIVATE_ADDRESS');
  });

  test('is possible if the operator allows it, checked by the address that a name resolves to', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const allowed = { allowsLoopback: false, allowed: ['127.0.0.0/8'] };
    assert.equal((await post(receiver.url, { rule: allowed })).status, 200);
    const addresses: Record<string, string> = { 'bot.lan': '127.0.0.1', 'out.example': '93.184.215.14' };
    const resolve: Resolve = async (host) => [{ address: addresses[host] ?? '10.0.0.1', family: 4 }];
    const named = (host: string) => post(`http://${host}:${port}/hook`, { rule: allowed, resolve });
    assert.equal((await named('bot.lan')).status, 200);
    assert.equal((await named('other.lan')).error, 'PRIVATE_ADDRESS');
    // Plain HTTP is only used in the allowed networks.
    assert.equal((await named('out.example')).error, 'PRIVATE_ADDRESS');
    assert.equal(receiver.received.length, 2);
  });
});
