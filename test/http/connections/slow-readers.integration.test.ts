import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SECOND_MS } from '../../../src/domain/clock.ts';
import { closeSlowReaders } from '../../../src/http/slow-readers.ts';
import { closed, readBodies, TRANSPORTS } from './support.ts';

const LIMIT_MS = 120;
/** Long enough that a busy machine is not taken for a client that reads nothing. */
const READING_LIMIT_MS = 1000;
const CHUNK = Buffer.alloc(64 * 1024, 'c');
/** More than the system buffers. */
const LARGE = 384 * CHUNK.length;

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

for (const transport of TRANSPORTS) {
  const start = async (t: TestContext, limitMs = LIMIT_MS) => {
    const reports: unknown[][] = [];
    const held = Promise.withResolvers<void>();
    const server = await transport.make(t);
    const report = (...args: unknown[]) => void reports.push(args);
    closeSlowReaders(server, { event: transport.event, limitMs, report });
    server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/held') await held.promise;
      if (request.url === '/whole') return response.end(Buffer.alloc(LARGE));
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

    for (const path of ['/large', '/whole']) {
      test(`stays open while its client reads ${path}, with pauses`, async (t) => {
        const { open, reports } = await start(t, READING_LIMIT_MS);
        const client = open();
        client.write(get(path));
        let received = 0;
        for await (const chunk of client) {
          const isNextMegabyte = received >> 20 !== (received + chunk.length) >> 20;
          received += chunk.length;
          if (isNextMegabyte) await pause(READING_LIMIT_MS / 16);
          if (received >= LARGE) break;
        }
        assert.ok(received >= LARGE);
        assert.deepEqual(reports, []);
      });
    }
  });
}

const CHECK_MS = 5 * SECOND_MS;
const SLICE = 16 * 1024;

/** A connection with counters that a test sets, instead of buffers of the system. */
class FakeSocket extends EventEmitter {
  remoteAddress = '192.0.2.1';
  bytesWritten = 0;
  writableLength = 0;
  _handle: object = { bytesWritten: 0, writeQueueSize: 0 };
  destroyed = false;
  readonly #writes: { length: number; left: number }[] = [];

  write(length: number): void {
    this.bytesWritten += length;
    this.#writes.push({ length, left: length });
    this.#update();
  }

  /** The client reads this much of the pending output. */
  read(length: number): void {
    let toRead = length;
    for (const write of this.#writes) {
      const part = Math.min(toRead, write.left);
      write.left -= part;
      toRead -= part;
    }
    while (this.#writes[0]?.left === 0) this.#writes.shift();
    this.#update();
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  /** Node counts the whole write until all of it was accepted. */
  #update(): void {
    this.writableLength = this.#writes.reduce((sum, { length }) => sum + length, 0);
    const writeQueueSize = this.#writes.reduce((sum, { left }) => sum + left, 0);
    this._handle = { bytesWritten: this.bytesWritten, writeQueueSize };
  }
}

describe('a client that reads slowly', () => {
  const start = (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const server = new Server();
    const reports: unknown[] = [];
    const report = (limit: unknown) => void reports.push(limit);
    closeSlowReaders(server, { event: 'secureConnection', limitMs: 30 * SECOND_MS, report });
    server.emit('listening');
    t.after(() => server.emit('close'));
    return {
      reports,
      open() {
        const socket = new FakeSocket();
        server.emit('secureConnection', socket);
        return socket;
      },
      /** Runs the checks of these seconds, with something before each. */
      pass(seconds: number, before: () => void = () => {}) {
        for (let second = 0; second < seconds; second += CHECK_MS / SECOND_MS) {
          before();
          t.mock.timers.tick(CHECK_MS);
        }
      },
    };
  };

  test('is disconnected a minute after its response began, though it always reads a little', (t) => {
    const { open, pass, reports } = start(t);
    const socket = open();
    socket.write(300_000);
    pass(65, () => socket.read(512));
    assert.equal(socket.destroyed, false);
    pass(5, () => socket.read(512));
    assert.equal(socket.destroyed, true);
    assert.deepEqual(reports, ['slow_reading']);
  });

  test('is disconnected when it slows down later, and when its response comes in slices', (t) => {
    const { open, pass, reports } = start(t);
    const socket = open();
    socket.write(10 * SLICE);
    pass(65, () => socket.read(SLICE / 2));
    assert.equal(socket.destroyed, false);
    pass(120, () => socket.read(1000));
    assert.equal(socket.destroyed, true);
    const sliced = open();
    pass(180, () => {
      while (sliced.writableLength < SLICE) sliced.write(SLICE);
      sliced.read(1000);
    });
    assert.equal(sliced.destroyed, true);
    assert.deepEqual(reports, ['slow_reading', 'slow_reading']);
  });

  test('stays connected on a bad mobile network: one kilobyte per second, with gaps of 25 seconds', (t) => {
    const { open, pass, reports } = start(t);
    const socket = open();
    socket.write(1_000_000);
    for (let minute = 0; minute < 5; minute += 1) {
      for (let half = 0; half < 2; half += 1) {
        pass(25);
        pass(5, () => socket.read(30_000));
      }
    }
    assert.deepEqual([socket.destroyed, reports], [false, []]);
  });

  test('of a stream is left alone while it reads each small message, however few there are', (t) => {
    const { open, pass, reports } = start(t);
    const socket = open();
    // A message is pending at every check, but never the same.
    pass(600, () => {
      socket.read(100);
      socket.write(20);
    });
    assert.equal(socket.destroyed, false);
    pass(600);
    assert.deepEqual(reports, ['unread_output']);
    const quiet = open();
    pass(3600);
    assert.equal(quiet.destroyed, false);
  });

  test('that reads nothing is disconnected after 30 seconds', (t) => {
    const { open, pass, reports } = start(t);
    const socket = open();
    socket.write(SLICE);
    pass(30);
    assert.equal(socket.destroyed, false);
    pass(5);
    assert.equal(socket.destroyed, true);
    assert.deepEqual(reports, ['unread_output']);
  });
});
