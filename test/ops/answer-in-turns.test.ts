import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { answerInTurns, arrivalTime } from '../../src/ops/answer-in-turns.ts';

function requestFor(url: string): [IncomingMessage, ServerResponse] {
  const request = Object.assign(new IncomingMessage(new Socket()), { url });
  return [request, new ServerResponse(request)];
}

test('requests of one turn are answered at its end, each once and in their order', async () => {
  const answered: string[] = [];
  const listener = answerInTurns((request) => answered.push(request.url ?? ''));
  for (const url of ['/1', '/2', '/3']) listener(...requestFor(url));
  assert.deepEqual(answered, []);
  await nextTurn();
  assert.deepEqual(answered, ['/1', '/2', '/3']);
  await nextTurn();
  assert.equal(answered.length, 3);
});

test('a request that arrives while others are answered waits for the next turn', async () => {
  const answered: string[] = [];
  const listener = answerInTurns((request) => {
    if (request.url === '/1') listener(...requestFor('/later'));
    answered.push(request.url ?? '');
  });
  listener(...requestFor('/1'));
  listener(...requestFor('/2'));
  await nextTurn();
  assert.deepEqual(answered, ['/1', '/2']);
  await nextTurn();
  assert.deepEqual(answered, ['/1', '/2', '/later']);
});

test('a request has arrived when it was read, not when its turn to be answered comes', async (t) => {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  const arrivals: number[] = [];
  const listener = answerInTurns(() => {
    now += 5;
    arrivals.push(arrivalTime());
  });
  listener(...requestFor('/1'));
  listener(...requestFor('/2'));
  await nextTurn();
  assert.deepEqual(arrivals, [1000, 1000]);
  assert.equal(arrivalTime(), 1010);
});
