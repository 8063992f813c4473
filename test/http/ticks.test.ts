import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import fastify from 'fastify';
import { batchRequests, msSinceArrival } from '../../src/http/ticks.ts';

function requestFor(url: string): [IncomingMessage, ServerResponse] {
  const request = Object.assign(new IncomingMessage(new Socket()), { url, method: 'GET' });
  return [request, new ServerResponse(request)];
}

test('requests of one tick are answered at its end, each once and in order', async () => {
  const answered: string[] = [];
  const listener = batchRequests((request) => answered.push(request.url ?? ''));
  for (const url of ['/1', '/2', '/3']) listener(...requestFor(url));
  assert.deepEqual(answered, []);
  await nextTick();
  assert.deepEqual(answered, ['/1', '/2', '/3']);
  await nextTick();
  assert.equal(answered.length, 3);
});

test('a request that arrives while others are answered waits for the next tick', async () => {
  const answered: string[] = [];
  const listener = batchRequests((request) => {
    if (request.url === '/1') listener(...requestFor('/later'));
    answered.push(request.url ?? '');
  });
  listener(...requestFor('/1'));
  listener(...requestFor('/2'));
  await nextTick();
  assert.deepEqual(answered, ['/1', '/2']);
  await nextTick();
  assert.deepEqual(answered, ['/1', '/2', '/later']);
});

test('requests of one connection over the limit of a tick are refused once, and not kept', async () => {
  const answered: string[] = [];
  const refused: string[] = [];
  const limit = { requests: 2, refuse: ({ url = '' }: IncomingMessage) => refused.push(url) };
  const listener = batchRequests((request) => answered.push(request.url ?? ''), limit);
  const socket = new Socket();
  const arrive = (url: string, from = socket) => {
    const request = Object.assign(new IncomingMessage(from), { url, method: 'GET' });
    listener(request, new ServerResponse(request));
  };
  for (const url of ['/1', '/2', '/3', '/4']) arrive(url);
  arrive('/other', new Socket());
  assert.deepEqual(refused, ['/3']);
  await nextTick();
  assert.deepEqual(answered, ['/1', '/2', '/other']);
  // One after the other, as a client that waits for each response sends them.
  for (const url of ['/5', '/6', '/7']) {
    arrive(url);
    await nextTick();
  }
  assert.deepEqual(answered.slice(3), ['/5', '/6', '/7']);
  assert.deepEqual(refused, ['/3']);
});

test('the arrival time of a request is when it was read, not when its batch is handled', async (t) => {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  const durations: (number | undefined)[] = [];
  const app = fastify();
  app.get('/', (_request, reply) => {
    now += 5;
    durations.push(msSinceArrival(reply.request.raw));
    return reply.hijack();
  });
  await app.ready();
  const listener = batchRequests((request, response) => app.routing(request, response));
  listener(...requestFor('/'));
  now += 100;
  listener(...requestFor('/'));
  await nextTick();
  assert.deepEqual(durations, [105, 10]);
});
