import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { loadFile } from '../../src/site/docs/files.ts';
import { docs } from '../../src/site/docs/index.ts';
import { portOf } from '../http/support.ts';

const url = '/docs/files/scalar.js';

test('the script of the reference is served complete, plain and compressed, and HEAD returns its length', async () => {
  const app = fastify();
  app.register(docs);
  const { body = Buffer.of() } = (await loadFile('scalar.js')) ?? {};
  assert.ok(body.length > 1_000_000);
  const plain = await app.inject({ url });
  const zipped = await app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
  const brotli = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } });
  assert.ok(body.equals(plain.rawPayload));
  assert.ok(body.equals(gunzipSync(zipped.rawPayload)));
  assert.equal(zipped.headers['content-encoding'], 'gzip');
  assert.ok(body.equals(brotliDecompressSync(brotli.rawPayload)));
  assert.ok(brotli.rawPayload.length < Math.min(zipped.rawPayload.length, 1_500_000));
  const head = await app.inject({ url, method: 'HEAD' });
  assert.equal(head.rawPayload.length, 0);
  for (const { headers } of [plain, head]) {
    assert.equal(headers['content-length'], String(body.length));
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.match(String(headers['cache-control']), /immutable/);
    assert.equal(headers.vary, 'Accept-Encoding');
  }
});

test('a client that does not read the script does not keep a copy of it in memory', async (t) => {
  const app = fastify();
  app.register(docs);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const accepted = new Promise<Socket>((resolve) => app.server.once('connection', resolve));
  const client = connect(portOf(app.server), '127.0.0.1').pause();
  t.after(() => {
    client.destroy();
    return app.close();
  });
  // Three of them are more than the system buffers.
  client.write(`GET ${url} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(3));
  const socket = await accepted;
  while (!socket.writableNeedDrain) await nextTurn();
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  assert.ok(socket.writableLength > 0);
  assert.ok(socket.writableLength < 256 * 1024, `${socket.writableLength} bytes are waiting`);
});
