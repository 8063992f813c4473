import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import {
  type Forked,
  type FromWorker,
  relayLines,
  restartDelayMs,
  type ToWorker,
  Workers,
} from '../../../src/cli/serve/workers.ts';
import { WorkerMetrics } from '../../../src/observability/metrics-server.ts';
import { createMetrics } from '../../../src/observability/prometheus.ts';

const SILENT = { info() {}, warn() {}, error() {} };

/** A worker that is controlled by the test. */
class FakeWorker extends EventEmitter implements Forked {
  readonly told: ToWorker[] = [];
  readonly killed: unknown[] = [];
  readonly process = {
    stdout: null,
    kill: (signal?: NodeJS.Signals | number) => {
      this.killed.push(signal);
      this.emit('exit', null, signal);
      return true;
    },
  };
  readonly id: number;

  constructor(id: number) {
    super();
    this.id = id;
  }

  isConnected(): boolean {
    return false;
  }

  send(message: ToWorker): void {
    this.told.push(message);
    this.emit('told', message);
  }

  says(message: FromWorker): void {
    this.emit('message', message);
  }
}

function openWorkers(count: number) {
  const forked: FakeWorker[] = [];
  let now = 0;
  const fork = () => {
    const worker = new FakeWorker(forked.length + 1);
    forked.push(worker);
    return worker;
  };
  const workers = new Workers({ count, fork, logger: SILENT, clock: () => now, output: new PassThrough() });
  const ready = (id: number) => forked[id - 1]?.says({ votary: 'ready', url: 'https://here' });
  const pass = (ms: number) => {
    now += ms;
  };
  return { workers, forked, ready, pass };
}

test('the first restart is immediate, later ones are delayed by 1 to 30 seconds', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 100].map(restartDelayMs),
    [0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000],
  );
});

test('a worker in a crash loop is restarted with growing delays, and immediately after it has run for a minute', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { workers, forked, ready, pass } = openWorkers(1);
  const starting = workers.start();
  ready(1);
  assert.equal(await starting, 'https://here');
  for (const [delayMs, count] of [
    [0, 2],
    [1000, 3],
    [2000, 4],
  ] as const) {
    forked.at(-1)?.emit('exit', 1, null);
    t.mock.timers.tick(Math.max(0, delayMs - 1));
    assert.equal(forked.length, delayMs === 0 ? count : count - 1);
    t.mock.timers.tick(1);
    assert.equal(forked.length, count);
  }
  pass(60_000);
  forked.at(-1)?.emit('exit', 1, null);
  t.mock.timers.tick(0);
  assert.equal(forked.length, 5);
  assert.equal(workers.restarts(), 4);
});

test('the first worker must listen before the others start, and the service fails if it fails', async () => {
  const { workers, forked } = openWorkers(3);
  const starting = workers.start();
  assert.equal(forked.length, 1);
  forked[0]?.says({ votary: 'failed', message: 'the port is in use' });
  forked[0]?.emit('exit', 1, null);
  await assert.rejects(starting, { message: 'the port is in use' });
  assert.equal(forked.length, 1);
});

test('stopping notifies every worker, waits for all, restarts none, and kills those that hang', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { workers, forked, ready } = openWorkers(3);
  const starting = workers.start();
  ready(1);
  await nextTurn();
  ready(2);
  ready(3);
  await starting;
  forked[2]?.emit('exit', 1, null);
  let isStopped = false;
  const stopping = workers.stop(5000).then(() => {
    isStopped = true;
  });
  assert.deepEqual(
    forked.map(({ told }) => told),
    [[{ votary: 'stop' }], [{ votary: 'stop' }], []],
  );
  forked[0]?.emit('exit', 0, null);
  t.mock.timers.tick(4999);
  await nextTurn();
  assert.equal(isStopped, false);
  t.mock.timers.tick(1);
  await stopping;
  assert.deepEqual(forked[1]?.killed, ['SIGKILL']);
  assert.equal(forked.length, 3);
});

test('log lines of workers are forwarded whole', () => {
  const written: string[] = [];
  const to = { write: (line: string) => void written.push(line) };
  const [one, other] = [new PassThrough(), new PassThrough()];
  relayLines(one, to);
  relayLines(other, to);
  one.emit('data', '{"a":');
  other.emit('data', '{"b":1}\n{"b":2}\n{"b"');
  one.emit('data', '1}\n');
  other.emit('end');
  assert.deepEqual(written, ['{"b":1}\n', '{"b":2}\n', '{"a":1}\n', '{"b"\n']);
});

test('counters never decrease when a worker exits, and gauges of workers that exited are dropped', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  const running = [one, other].map(({ registry }, index) => ({
    id: index + 1,
    scrape: () => scrape(registry),
  }));
  const metrics = new WorkerMetrics({ running: () => running, restarts: () => 0 }, { dropped: 2 });
  one.voteCast('accepted');
  other.voteCast('accepted');
  one.observeRequest('/', 200, 0.001);
  const accepted = async () =>
    /^votary_votes_total\{outcome="accepted"\} (\d+)$/m.exec(await metrics.text())?.[1];
  assert.equal(await accepted(), '2');
  running.shift();
  assert.equal(await accepted(), '2');
  running.push({ id: 3, scrape: () => scrape(createMetrics().registry) });
  other.voteCast('accepted');
  assert.equal(await accepted(), '3');
  const text = await metrics.text();
  assert.match(text, /^votary_http_request_duration_seconds_count\{route="\/"\} 1$/m);
  assert.match(text, /^votary_log_lines_dropped_total 2$/m);
  assert.match(text, /^votary_workers 2$/m);
});

test('a worker that does not respond to a scrape is counted with its previous values', async (t) => {
  const own = createMetrics();
  own.voteCast('accepted');
  let isStuck = false;
  const running = [{ id: 1, scrape: () => (isStuck ? new Promise<never>(() => {}) : scrape(own.registry)) }];
  const metrics = new WorkerMetrics({ running: () => running, restarts: () => 0 }, { dropped: 0 });
  assert.match(await metrics.text(), /outcome="accepted"\} 1$/m);
  isStuck = true;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const text = metrics.text();
  t.mock.timers.tick(2000);
  assert.match(await text, /outcome="accepted"\} 1$/m);
});

/** As serialized by the IPC channel. */
async function scrape(registry: Registry) {
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()));
}
