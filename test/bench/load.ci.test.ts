/** The load generator against a real server. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startLoadGenerator } from '../../bench/load/load.ts';
import { listenAnywhere } from '../../bench/peers/listen.ts';

const folder = mkdtempSync(join(tmpdir(), 'votary-load-'));
const requestsFile = join(folder, 'requests.json');
writeFileSync(
  requestsFile,
  JSON.stringify(['/a', '/b', '/c'].map((path) => ({ path, headers: { authorization: 'Bearer key' } }))),
);

const servers: Server[] = [];

async function serve(handler: RequestListener) {
  const server = createServer(handler);
  servers.push(server);
  const connections = new Set<Socket>();
  server.on('connection', (socket) => connections.add(socket));
  return { url: await listenAnywhere(server), connections };
}

describe('the load generator', () => {
  const load = startLoadGenerator();
  after(() => {
    load.stop();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    rmSync(folder, { recursive: true });
  });

  it('sends the requests in order and keeps its connections for the next job', async () => {
    const paths: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      paths.push(request.url);
      assert.equal(request.headers.authorization, 'Bearer key');
      response.writeHead(200, { 'content-length': 2 }).end('ok');
    });
    const job = { url: server.url, requestsFile, connections: 1, seconds: 60, requests: 2 };
    assert.equal((await load.run(job)).requests, 2);
    assert.equal((await load.run(job)).requests, 2);
    assert.deepEqual(paths, ['/a', '/b', '/c', '/a']);
    assert.equal(server.connections.size, 1);
  });

  it('loads two servers at the same time, and returns the result of each', async () => {
    const first = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 0 }).end();
    });
    const second = await serve((_request, response) => {
      response.writeHead(404, { 'content-length': 0 }).end();
    });
    const job = { requestsFile, connections: 2, seconds: 60, mayBeRefused: true };
    const results = await Promise.all([
      load.run({ ...job, url: first.url, requests: 30 }),
      load.run({ ...job, url: second.url, requests: 10 }),
    ]);
    assert.deepEqual(
      results.map(({ requests, refused }) => ({ requests, refused })),
      [
        { requests: 30, refused: 0 },
        { requests: 10, refused: 10 },
      ],
    );
  });

  it('replaces a connection that the server has closed', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 0, connection: 'close' }).end();
    });
    const job = { url: server.url, requestsFile, connections: 1, seconds: 60, requests: 1 };
    await load.run(job);
    assert.equal((await load.run(job)).requests, 1);
    assert.equal(server.connections.size, 2);
  });

  it('waits for the end of a response that arrives in pieces', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 300_001 });
      response.write('a'.repeat(200_000), () => response.end('b'.repeat(100_001)));
    });
    const job = { url: server.url, requestsFile, connections: 2, seconds: 60, requests: 20 };
    const { requests, failed } = await load.run(job);
    assert.deepEqual({ requests, failed }, { requests: 20, failed: 0 });
  });

  it('fails when a response is not 200, unless that is expected', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(429, { 'content-length': 0 }).end();
    });
    const job = { url: server.url, requestsFile, connections: 1, seconds: 60, requests: 1 };
    await assert.rejects(load.run(job), /"refused":1/);
    assert.equal((await load.run({ ...job, mayBeRefused: true })).refused, 1);
  });

  it('fails when a connection ends without a response', async () => {
    const server = await serve((request) => request.socket.destroy());
    const job = { url: server.url, requestsFile, connections: 1, seconds: 60, requests: 1 };
    await assert.rejects(load.run(job), /"failed":1/);
  });
});
