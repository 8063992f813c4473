import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { closeUnreadOutput } from '../../../src/http/slow-readers.ts';
import { closed, readBodies, TRANSPORTS } from './support.ts';

const LIMIT_MS = 120;
const CHUNK = Buffer.alloc(64 * 1024, 'c');
/** More than the system buffers. */
const LARGE = 384 * CHUNK.length;

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

/** Closed by the other side, including by a reset. */

for (const transport of TRANSPORTS) {
  const start = async (t: TestContext) => {
    const reports: unknown[][] = [];
    const held = Promise.withResolvers<void>();
    const server = await transport.make(t);
    const report = (...args: unknown[]) => void reports.push(args);
    closeUnreadOutput(server, { event: transport.event, limitMs: LIMIT_MS, report });
    server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/held') await held.promise;
      if (request.url !== '/large') return response.writeHead(200, { 'content-length': 2 }).end('ok');
      response.writeHead(200, { 'content-length': LARGE });
      Readable.from(Array.from({ length: LARGE / CHUNK.length }, () => CHUNK)).pipe(response);
    });
    return { ...(await transport.listen(t, server)), reports, release: held.resolve };
  };

  describe(`a connection with unread output (${transport.name})`, () => {
    test('is closed at the limit, and no other: neither one still being handled nor an idle one', async (t) => {
      const { open, reports, release } = await start(t);
      const [handled, idle, stuck] = [open(), open(), open()];
      handled.write(get('/held'));
      idle.write(get('/'));
      await once(idle, 'data');
      stuck.pause().write(get('/large'));
      while (reports.length === 0) await pause(10);
      assert.deepEqual(reports, [['unread_output', '127.0.0.1']]);
      await closed(stuck.resume());
      release();
      idle.write(get('/'));
      assert.deepEqual(await Promise.all([readBodies(handled, 1), readBodies(idle, 1)]), [['ok'], ['ok']]);
    });

    test('is closed even if its client keeps sending', async (t) => {
      const { open, reports } = await start(t);
      const client = open().pause();
      client.write(get('/large'));
      while (reports.length === 0) {
        client.write(get('/'));
        await pause(10);
      }
      await closed(client.resume());
    });

    test('stays open while its client reads, however slowly', async (t) => {
      const { open, reports } = await start(t);
      const client = open();
      client.write(get('/large'));
      let received = 0;
      for await (const chunk of client) {
        const isNextMegabyte = received >> 20 !== (received + chunk.length) >> 20;
        received += chunk.length;
        if (isNextMegabyte) await pause(LIMIT_MS / 4);
        if (received >= LARGE) break;
      }
      assert.ok(received >= LARGE);
      assert.deepEqual(reports, []);
    });
  });
}
