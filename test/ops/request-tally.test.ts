import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestTally } from '../../src/ops/request-tally.ts';

const NAME = 'votary_http_request_duration_seconds';

test('each bucket counts what took at most its time, those of smaller ones included', () => {
  const tally = new RequestTally();
  for (const seconds of [0.0001, 0.0005, 0.003, 12]) tally.add('/v7/vote-check', 200, seconds);
  const lines = tally.text().split('\n');
  const bucket = (le: string) => `${NAME}_bucket{le="${le}",route="/v7/vote-check"}`;
  const numberAt = (start: string) =>
    Number(
      lines
        .find((line) => line.startsWith(start))
        ?.split(' ')
        .at(-1),
    );
  assert.equal(numberAt(bucket('0.0005')), 2);
  assert.equal(numberAt(bucket('0.0025')), 2);
  assert.equal(numberAt(bucket('0.005')), 3);
  assert.equal(numberAt(bucket('10')), 3);
  assert.equal(numberAt(bucket('+Inf')), 4);
  assert.equal(numberAt(`${NAME}_count{route="/v7/vote-check"}`), 4);
  assert.equal(numberAt(`${NAME}_sum{route="/v7/vote-check"}`), 12.0036);
});

test('answers are counted by route and status', () => {
  const tally = new RequestTally();
  tally.add('/v7/vote-check', 200, 0.001);
  tally.add('/v7/vote-check', 429, 0.001);
  tally.add('/v7/vote-check', 200, 0.001);
  tally.add('/', 200, 0.001);
  const counts = tally
    .text()
    .split('\n')
    .filter((line) => line.startsWith('votary_http_requests_total'));
  assert.deepEqual(counts, [
    'votary_http_requests_total{route="/v7/vote-check",status="200"} 2',
    'votary_http_requests_total{route="/v7/vote-check",status="429"} 1',
    'votary_http_requests_total{route="/",status="200"} 1',
  ]);
});
