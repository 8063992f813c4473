import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { ownCpu } from '../../torture/promises/hostile/cpu-cost.ts';
import { isWholeAnswer } from '../../torture/promises/hostile/judge-answer.ts';
import { type ShotCounts, shoot } from '../../torture/promises/hostile/shoot.ts';
import { readWholeRequest } from '../../torture/promises/hostile/whole-request.ts';

/** Sends requests to a server with this response. */
async function shootAt(t: TestContext, answer: RequestListener, hangMs?: number): Promise<ShotCounts> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const volley = { count: 100, seed: 6, cpu: ownCpu, ...(hangMs === undefined ? {} : { hangMs }) };
  return shoot({ port, isTls: false }, { token: 'none', usualHeaders: () => ['host: localhost'] }, volley);
}

describe('a batch of hostile requests', () => {
  it('reports no problem for a server that responds with JSON', async (t) => {
    const { requests, whole, faults } = await shootAt(t, (_request, response) =>
      response.setHeader('content-type', 'application/json').end('{}'),
    );
    assert.deepEqual([requests, faults], [100, []]);
    assert.ok(whole > 40, `only ${whole} were whole`);
  });

  it('reports a server that accepts a complete request and never responds', async (t) => {
    const { faults } = await shootAt(t, () => {}, 200);
    assert.ok(faults.length > 20, `${faults.length} faults, and more than the report lists`);
    assert.match(faults[0] ?? '', /^the answer never ends/);
  });

  it('reports a server that closes the connection on a complete request without a response', async (t) => {
    const { faults } = await shootAt(t, (request) => request.socket.destroySoon());
    assert.match(faults[0] ?? '', /^the answer is missing/);
  });

  it('reports an HTML page from the API, whatever its other headers', async (t) => {
    const { faults } = await shootAt(t, (_request, response) =>
      response.setHeader('content-type', 'text/html').end('<p>no'),
    );
    assert.ok(faults.length > 0);
    for (const fault of faults)
      assert.match(fault, /^the answer is text\/html, not JSON: "[A-Z]+ \/(?:v7|manage|compat)\b/);
  });

  it('reports a 5xx', async (t) => {
    const { faults } = await shootAt(t, (_request, response) => response.writeHead(500).end());
    assert.match(faults[0] ?? '', /^the answer has status 500/);
  });
});

/** Uses this much CPU time. */
function work(cpuMs: number): void {
  const start = process.cpuUsage();
  for (let used = 0; used < cpuMs * 1000; ) {
    const { user, system } = process.cpuUsage(start);
    used = user + system;
  }
}

describe('the CPU time of hostile requests', () => {
  it('is attributed to the request among those that were sent together', async (t) => {
    // Only the first request of a connection is sure to be in the excerpt of a report.
    const seen = new WeakSet<object>();
    const { faults } = await shootAt(t, (request, response) => {
      const isFirst = !seen.has(request.socket);
      seen.add(request.socket);
      if (isFirst && /^(?:PUT|PATCH|DELETE|OPTIONS)$/.test(request.method ?? '')) work(100);
      response.setHeader('content-type', 'application/json').end('{}');
    });
    assert.ok(faults.length > 0);
    for (const fault of faults)
      assert.match(fault, /^the answer took \d+ ms of CPU time: ".*\b(?:PUT|PATCH|DELETE|OPTIONS) /);
  });

  it('is found although the response is cached afterwards', async (t) => {
    let isCached = false;
    const { faults } = await shootAt(t, (request, response) => {
      if (request.method === 'POST' && !isCached) {
        isCached = true;
        work(800);
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
    assert.match(faults.join(), /^16 requests used \d+ ms of CPU time: "/);
  });
});

describe('a complete request', () => {
  const WHOLE = [
    'GET /v7 HTTP/1.1\r\nhost: x\r\n\r\n',
    'POST /%00 HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc',
    'BREW /\xff HTTP/1.1\r\n\r\n',
  ];
  const NOT_WHOLE = [
    'GET / HTTP/1.1\r\nhost: x\r\n',
    'GET / HTTP/1.1\nhost: x\n\n',
    'GET / HTTP/1.1\r\nno colon\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n',
    'POST / HTTP/1.1\r\ncontent-length: 4\r\n\r\nabc',
    'POST / HTTP/1.1\r\ncontent-length: 3\r\ncontent-length: 3\r\n\r\nabc',
    'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\n',
    'PRI / HTTP/1.1\r\n\r\n',
    'POST / HTTP/1.1\r\nexpect: 100-continue\r\n\r\n',
  ];

  it('has every header and body that it declares, once, and nothing after it', () => {
    for (const sent of WHOLE) assert.ok(readWholeRequest(sent), JSON.stringify(sent));
    for (const sent of NOT_WHOLE) assert.equal(readWholeRequest(sent), undefined, JSON.stringify(sent));
    assert.deepEqual(readWholeRequest(WHOLE[0] ?? ''), { method: 'GET', target: '/v7' });
  });
});

describe('a complete response', () => {
  it('has the length that it declares, or its last chunk', () => {
    const head = 'HTTP/1.1 200 OK\r\n';
    assert.ok(isWholeAnswer(`${head}content-length: 2\r\n\r\nab`, 'GET'));
    assert.ok(!isWholeAnswer(`${head}content-length: 3\r\n\r\nab`, 'GET'));
    assert.ok(isWholeAnswer(`${head}content-length: 3\r\n\r\n`, 'HEAD'));
    assert.ok(isWholeAnswer(`${head}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`, 'GET'));
    assert.ok(!isWholeAnswer(`${head}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n`, 'GET'));
    assert.ok(!isWholeAnswer('HTTP/1.1 100 Continue\r\n\r\n', 'GET'));
    assert.ok(!isWholeAnswer(`${head}\r\nuntil it closes`, 'GET'));
  });
});
