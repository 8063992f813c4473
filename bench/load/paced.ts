/**
 * Sends requests at a constant rate and times each from the moment it was due, so a stalled server is charged
 * for every request that had to wait.
 */
import type { Connection } from './connection.ts';
import type { PacedJob, PacedResult } from './load.ts';

type Paced = Pick<PacedJob, 'perSecond' | 'seconds'> & {
  connections: Pick<Connection, 'isOpen' | 'send'>[];
  requests: Uint8Array[];
};

/** `onTick` calls the function about every millisecond, and returns what ends that. */
export type Ticker = { now(): number; onTick(run: () => void): () => void };

const REAL_TIME: Ticker = {
  now: () => performance.now(),
  onTick: (run) => {
    const timer = setInterval(run, 1);
    return () => clearInterval(timer);
  },
};

/** The start of a run is not timed: until a backlog has formed or not, the times are those of an idle server. */
const NOT_TIMED_SECONDS = 0.1;

export async function runPaced(
  { connections, requests, ...job }: Paced,
  ticker: Ticker = REAL_TIME,
): Promise<PacedResult> {
  const idle = [...connections];
  const times: number[] = [];
  const intervalMs = 1000 / job.perSecond;
  const notTimed = Math.floor(job.perSecond * NOT_TIMED_SECONDS);
  const total = notTimed + Math.max(1, Math.floor(job.perSecond * job.seconds));
  const { promise, resolve } = Promise.withResolvers<void>();
  const cpu = process.cpuUsage();
  const start = ticker.now();
  let [sent, failed] = [0, 0];

  function sendDue(): void {
    const due = Math.min(total, Math.floor((ticker.now() - start) / intervalMs) + 1);
    while (sent < due) {
      // The one that was idle the longest, so that all of them, and all workers behind them, are used alike.
      const connection = idle.shift();
      const request = requests[sent % requests.length];
      if (!connection || !request) return;
      const dueAt = start + sent * intervalMs;
      sent += 1;
      connection.send(request, (status) => {
        times.push(ticker.now() - dueAt);
        if (status !== 'ok') failed += 1;
        if (connection.isOpen) idle.push(connection);
        // Without any connection left, the rest cannot be sent.
        if (times.length >= total || connections.every(({ isOpen }) => !isOpen)) resolve();
        else sendDue();
      });
    }
  }

  const stop = ticker.onTick(sendDue);
  await promise;
  stop();
  const seconds = (ticker.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = times.slice(notTimed).sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return {
    ...{ requests: times.length, perSecond: times.length / seconds, failed },
    ...{ p50: at(0.5), p99: at(0.99), max: at(1), busy: (user + system) / 1e6 / seconds },
  };
}
