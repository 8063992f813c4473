import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { queuePipelinedRequests } from '../../../src/http/pipelining.ts';
import { batchRequests } from '../../../src/http/ticks.ts';
import { runSequentialClients } from './sequential-clients.ts';
import { TRANSPORTS } from './support.ts';

/** More than the requests that may wait on all connections. */
const CLIENTS = 2500;

describe('thousands of clients that do not pipeline', () => {
  for (const transport of TRANSPORTS) {
    test(`all receive all their responses (${transport.name})`, async (t) => {
      const reports: string[] = [];
      const server = await transport.make(t);
      const handleInTurn = queuePipelinedRequests(server, (_request, response) => void response.end('ok'), {
        maxRequests: 100,
        report: (limit) => void reports.push(limit),
      });
      server.on('request', batchRequests(handleInTurn));
      const { port } = await transport.listen(t, server);
      const work = { port, isTls: transport.name === 'TLS', clients: CLIENTS, requests: 5 };
      assert.equal(await runSequentialClients(work), CLIENTS);
      assert.deepEqual(reports, []);
    });
  }
});
