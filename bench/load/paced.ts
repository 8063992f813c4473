/**
 * Sends requests at a constant rate and times each from the moment it was due, so a stalled server is charged
 * for every request that had to wait. (autocannon sends the requests of a second at once.)
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { PreparedRequest } from './requests.ts';

export type PacedJob = {
  url: string;
  requests: PreparedRequest[];
  perSecond: number;
  seconds: number;
  connections: number;
};
export type PacedResult = { perSecond: number; p50: number; p99: number; max: number };

const HEADERS_END = '\r\n\r\n';

/** Ignored, because V8 is still compiling the load generator, which is late at first. */
const NOT_TIMED_SECONDS = 2;

export async function runPaced(job: PacedJob): Promise<PacedResult> {
  const texts = job.requests.map((request) => requestText(job.url, request));
  const sockets = await Promise.all(Array.from({ length: job.connections }, () => open(job.url)));
  const idle = [...sockets];
  const due: number[] = [];
  const times: number[] = [];
  let sent = 0;

  function sendDue(): void {
    while (due.length > 0 && idle.length > 0) {
      const dueAt = due.shift() ?? 0;
      const socket = idle.pop();
      socket?.exchange(texts[sent++ % texts.length] ?? '', () => {
        times.push(performance.now() - dueAt);
        idle.push(socket);
        sendDue();
      });
    }
  }

  const start = performance.now();
  const notTimed = Math.floor(job.perSecond * NOT_TIMED_SECONDS);
  const total = notTimed + Math.floor(job.perSecond * job.seconds);
  let scheduled = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    const now = performance.now();
    for (; scheduled < total && start + (scheduled * 1000) / job.perSecond <= now; scheduled += 1) {
      due.push(start + (scheduled * 1000) / job.perSecond);
    }
    sendDue();
    if (times.length >= total) resolve();
  }, 1);
  await promise;
  clearInterval(timer);
  const seconds = (performance.now() - start) / 1000;
  for (const { socket } of sockets) socket.destroy();
  const sorted = times.slice(notTimed).sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), max: at(1) };
}

type Exchange = { socket: Socket; exchange(text: string, onAnswer: () => void): void };

async function open(url: string): Promise<Exchange> {
  const { protocol, hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
  const options = { host: hostname, port: Number(port), rejectUnauthorized: false };
  const socket = protocol === 'https:' ? connectTls(options, ready) : connect(options, ready);
  let onAnswer = (): void => {};
  let received = '';
  function ready(): void {
    socket.setNoDelay(true);
    resolve({
      socket,
      exchange: (text, done) => {
        onAnswer = done;
        socket.write(text);
      },
    });
  }
  socket.on('error', reject).on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    const end = received.indexOf(HEADERS_END);
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (received.length < end + HEADERS_END.length + length) return;
    received = '';
    onAnswer();
  });
  return promise;
}

function requestText(url: string, { path, headers }: PreparedRequest): string {
  const lines = Object.entries({ host: new URL(url).host, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`GET ${path} HTTP/1.1`, ...lines].join('\r\n') + HEADERS_END;
}
