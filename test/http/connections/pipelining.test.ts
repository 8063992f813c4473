import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queuePipelinedRequests } from '../../../src/http/connections/pipelining.ts';
import { readBodies, TRANSPORTS } from './support.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function get(path: string | number, padding = 0): string {
  return `GET /${path} HTTP/1.1\r\nhost: x\r\npadding: ${'p'.repeat(padding)}\r\n\r\n`;
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const echoPath: Handler = ({ url }, response) => answer(response, String(url));

for (const transport of TRANSPORTS) {
  const start = async (
    t: TestContext,
    handler: Handler,
    maxRequests = 32,
    maxWaitingBytes = Number.POSITIVE_INFINITY,
  ) => {
    const reports: string[] = [];
    const server = await transport.make(t);
    const report = (limit: string) => void reports.push(limit);
    const limits = { event: transport.event, maxRequests, maxWaitingBytes };
    queuePipelinedRequests(server, handler, { ...limits, report });
    const accepted = new Promise<Socket>((resolve) => server.once(transport.event, resolve));
    const { open } = await transport.listen(t, server);
    return { client: open(), open, accepted, reports };
  };

  describe(`pipelined requests (${transport.name})`, () => {
    for (const maxRequests of [1, 4, 32]) {
      test(`are handled one at a time and answered in order, with at most ${maxRequests} read ahead`, async (t) => {
        let running = 0;
        let mostRunning = 0;
        const handler: Handler = async ({ url }, response) => {
          mostRunning = Math.max(mostRunning, ++running);
          await nextTurn();
          running -= 1;
          answer(response, String(url));
        };
        const { client } = await start(t, handler, maxRequests);
        client.write(
          numbers(500)
            .map((i) => get(i))
            .join(''),
        );
        assert.deepEqual(
          await readBodies(client, 500),
          numbers(500).map((i) => `/${i}`),
        );
        assert.equal(mostRunning, 1);
      });
    }

    test('are all answered when the client ends its side right after them', async (t) => {
      const { client } = await start(t, echoPath, 4);
      client.end(
        numbers(100)
          .map((i) => get(i))
          .join(''),
      );
      assert.equal((await readBodies(client)).length, 100);
    });

    test('wait unhandled while the client does not read, and are answered once it does', async (t) => {
      const body = 'b'.repeat(256 * 1024);
      let handled = 0;
      const { client, accepted } = await start(t, (_request, response) => {
        handled += 1;
        answer(response, body);
      });
      client.pause().write(
        numbers(50)
          .map((i) => get(i))
          .join(''),
      );
      const socket = await accepted;
      // What the system buffers is sent off; the first response after that stays.
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

    test('are not read beyond the limit until the first has its response', async (t) => {
      const held = Promise.withResolvers<void>();
      const { client, accepted, reports } = await start(
        t,
        async (request, response) => {
          await held.promise;
          echoPath(request, response);
        },
        4,
      );
      const requests = numbers(500)
        .map((i) => get(i, 4000))
        .join('');
      client.write(requests);
      const socket = await accepted;
      while (reports.length === 0) await nextTurn();
      const bytesRead = socket.bytesRead;
      for (let turn = 0; turn < 200; turn += 1) await nextTurn();
      assert.equal(socket.bytesRead, bytesRead);
      assert.ok(bytesRead < 256 * 1024, `${bytesRead} of ${requests.length} bytes were read`);
      held.resolve();
      assert.deepEqual(
        await readBodies(client, 500),
        numbers(500).map((i) => `/${i}`),
      );
      assert.ok(reports.every((limit) => limit === 'pipelined_requests'));
    });

    test('of a connection over its limit are refused when too much is waiting in all, those of others are not', async (t) => {
      const held = Promise.withResolvers<void>();
      const handler: Handler = async (request, response) => {
        await held.promise;
        echoPath(request, response);
      };
      const { client, open, reports } = await start(t, handler, 4, 20_000);
      const others = [open(), open()];
      for (const other of others) other.write(get('first', 4000) + get('second', 4000) + get('third', 4000));
      client.write(
        numbers(100)
          .map((i) => get(i, 400))
          .join(''),
      );
      await new Promise((resolve) => client.resume().once('close', resolve));
      assert.deepEqual(reports, ['pipelined_requests', 'pipelined_bytes']);
      held.resolve();
      for (const other of others)
        assert.deepEqual(await readBodies(other, 3), ['/first', '/second', '/third']);
      const later = open();
      later.write(
        numbers(100)
          .map((i) => get(i, 100))
          .join(''),
      );
      assert.equal((await readBodies(later, 100)).length, 100);
    });

    test('keep their bodies, blank lines included', async (t) => {
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
      client.write(
        numbers(6)
          .map((i) => get(i))
          .join(''),
      );
      assert.deepEqual(await readBodies(client), ['/0', '/1', '/2']);
      assert.deepEqual(handled, ['/0', '/1', '/2']);
    });

    test('may come in pieces of any size', async (t) => {
      const { client } = await start(t, echoPath);
      client.setNoDelay(true);
      const bytes = numbers(20)
        .map((i) => get(i))
        .join('');
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
