import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queuePipelinedRequests, refusePipelined } from '../../../src/http/pipelining.ts';
import { batchRequests } from '../../../src/http/ticks.ts';
import { runSequentialClients } from './sequential-clients.ts';
import { closed, readBodies, TRANSPORTS } from './support.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function get(path: string | number): string {
  return `GET /${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
}

const requests = (count: number) => Array.from({ length: count }, (_, i) => get(i)).join('');
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const echoPath: Handler = ({ url }, response) => answer(response, String(url));

for (const transport of TRANSPORTS) {
  const start = async (
    t: TestContext,
    handler: Handler,
    maxRequests = 1000,
    maxWaiting = Number.POSITIVE_INFINITY,
  ) => {
    const reports: string[] = [];
    const server = await transport.make(t);
    const report = (limit: string) => void reports.push(limit);
    const handleInTurn = queuePipelinedRequests(server, handler, { maxRequests, maxWaiting, report });
    const limit = { requests: maxRequests, refuse: refusePipelined(report) };
    server.on('request', batchRequests(handleInTurn, limit));
    let requestCount = 0;
    server.on('request', () => ++requestCount);
    const accepted = new Promise<Socket>((resolve) => server.once(transport.event, resolve));
    const { open, port } = await transport.listen(t, server);
    return { port, client: open(), open, accepted, reports, arrived: () => requestCount };
  };

  describe(`pipelined requests (${transport.name})`, () => {
    test('are handled one at a time and answered in order', async (t) => {
      let running = 0;
      let mostRunning = 0;
      const handler: Handler = async ({ url }, response) => {
        mostRunning = Math.max(mostRunning, ++running);
        await nextTurn();
        running -= 1;
        answer(response, String(url));
      };
      const { client } = await start(t, handler);
      client.write(requests(500));
      assert.deepEqual(
        await readBodies(client, 500),
        numbers(500).map((i) => `/${i}`),
      );
      assert.equal(mostRunning, 1);
    });

    test('are not even counted after the first that is too much', async (t) => {
      const { client, arrived, reports } = await start(t, echoPath, 100);
      client.resume().write(requests(1300));
      await closed(client);
      assert.deepEqual(reports, ['pipelined_requests']);
      // Node goes on parsing the 40 kB that it has read, but creates nothing from them.
      assert.equal(arrived(), 101);
    });

    test('are all answered if the client ends its side right after them', async (t) => {
      const { client } = await start(t, echoPath);
      client.end(requests(100));
      assert.equal((await readBodies(client)).length, 100);
    });

    test('wait while the client does not read, and are answered once it does', async (t) => {
      const body = 'b'.repeat(256 * 1024);
      let handled = 0;
      const { client, accepted } = await start(t, (_request, response) => {
        handled += 1;
        answer(response, body);
      });
      client.pause().write(requests(50));
      const socket = await accepted;
      // The system buffers some responses; the first one after that stays pending.
      for (
        let quietTurns = 0, before = 0;
        quietTurns < 200;
        quietTurns = handled === before ? quietTurns + 1 : 0
      ) {
        before = handled;
        await nextTurn();
      }
      assert.ok(socket.writableLength > 0);
      assert.ok(socket.writableLength < 2 * body.length, `${socket.writableLength} bytes are waiting`);
      assert.ok(handled < 40, `${handled} were handled`);
      assert.equal((await readBodies(client, 50)).length, 50);
    });

    test('are answered up to the limit', async (t) => {
      const { client, reports } = await start(t, echoPath, 4);
      client.write(requests(4));
      assert.deepEqual(await readBodies(client, 4), ['/0', '/1', '/2', '/3']);
      assert.deepEqual(reports, []);
    });

    test('over the limit close the connection', async (t) => {
      const handled: string[] = [];
      const { client, reports } = await start(t, ({ url }) => void handled.push(String(url)), 4);
      client.write(requests(500));
      await closed(client.resume());
      assert.deepEqual(handled, ['/0']);
      assert.deepEqual(reports, ['pipelined_requests']);
    });

    test('close the connection if too many are waiting on all connections, and others are answered', async (t) => {
      const held = Promise.withResolvers<void>();
      const handler: Handler = async (request, response) => {
        await held.promise;
        echoPath(request, response);
      };
      const { client, open, reports, arrived } = await start(t, handler, 100, 5);
      const others = [open(), open()];
      const accepted = others.map((other) => {
        other.write(requests(3));
        return readBodies(other, 3);
      });
      // A client that sends one request after the other is not affected.
      const plain = open();
      plain.write(get('plain'));
      accepted.push(readBodies(plain, 1));
      while (arrived() < 7) await nextTurn();
      client.write(requests(10));
      await closed(client.resume());
      assert.deepEqual(reports, ['pipelined_requests_total']);
      held.resolve();
      assert.deepEqual(await Promise.all(accepted), [['/0', '/1', '/2'], ['/0', '/1', '/2'], ['/plain']]);
      const later = open();
      later.write(requests(5));
      assert.equal((await readBodies(later, 5)).length, 5);
    });

    test('do not count as pipelined if the client has read each response before', async (t) => {
      const { port, reports } = await start(t, echoPath, 100, 0);
      const work = { port, isTls: transport.name === 'TLS', clients: 50, requests: 20 };
      assert.equal(await runSequentialClients(work), 50);
      assert.deepEqual(reports, []);
    });

    test('keep their bodies, including blank lines', async (t) => {
      const { client } = await start(t, async (request, response) => {
        const chunks = await request.toArray();
        answer(response, `${request.url} ${Buffer.concat(chunks).toString('base64')}`);
      });
      const body = `${'\r\n\r\n'.repeat(50_000)}GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n`;
      const post = `POST /post HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      client.write(get('before') + post + get('between') + post + get('after'));
      const encoded = Buffer.from(body).toString('base64');
      const expected = ['/before ', `/post ${encoded}`, '/between ', `/post ${encoded}`, '/after '];
      assert.deepEqual(await readBodies(client, 5), expected);
    });

    test('are not handled after a response that closes the connection', async (t) => {
      const handled: string[] = [];
      const { client } = await start(t, (request, response) => {
        handled.push(String(request.url));
        if (request.url === '/2') response.setHeader('connection', 'close');
        echoPath(request, response);
      });
      client.write(requests(6));
      assert.deepEqual(await readBodies(client), ['/0', '/1', '/2']);
      assert.deepEqual(handled, ['/0', '/1', '/2']);
    });

    test('can arrive in chunks of any size', async (t) => {
      const { client } = await start(t, echoPath);
      client.setNoDelay(true);
      const bytes = requests(20);
      for (let at = 0; at < bytes.length; at += 7) {
        client.write(bytes.slice(at, at + 7));
        await nextTurn();
      }
      assert.deepEqual(
        await readBodies(client, 20),
        numbers(20).map((i) => `/${i}`),
      );
    });
  });
}
