import { setTimeout as pause } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { freePort } from '../../../test/support/free-port.ts';
import { inParallel, newClient } from '../../lib/client.ts';
import { type RunningServer, startServer } from '../../lib/processes.ts';
import { type Counts, Findings, type Trial, type TrialContext } from '../../lib/promise.ts';
import { addGuilds, makeSite, numberedGuild, type Site } from '../../lib/site.ts';
import { type MetricsWatch, watchMetrics } from '../../lib/watch-metrics.ts';
import { measureGoodClient } from './good-client.ts';

const P99_LIMIT_MS = 100;
const GROWTH_LIMIT_MB = 60;
const KEYS = 400;
const WARM_UP_CLIENTS = 20;
const WARM_UP_REQUESTS = { quick: 2000, full: 10_000 };
const REST_MS = 2000;
const BEFORE_MS = 3000;
/** The server gives a client 30 seconds, or a minute if it reads a little, and checks every five. */
const CLOSED_WITHIN_MS = 90_000;
/** Concurrent handshakes: the requests should keep the server busy, not the handshakes. */
const OPENING_AT_ONCE = 20;

const SCRIPT = '/docs/files/scalar.js';

/** As many as one sitemap lists. */
const COMMUNITIES = 9999;

/** How much a client reads that is only slow, and how often. */
const TRICKLE = { bytes: 512, everyMs: 5000 };

/**
 * What each client sends. Those of the second attack read a little of the response. The fourth stays within the limit of
 * a connection, the fifth is far over it.
 */
const ATTACKS = {
  script: get(SCRIPT),
  trickle: get(SCRIPT),
  sitemap: get('/sitemap.xml'),
  pipelined: get('/').repeat(100),
  flood: get('/').repeat(1300),
};

export const slowReadersTrial: Trial = {
  name: 'slow-readers',
  promise:
    'Clients that do not read their responses, or read them slowly, cost little memory, do not delay others, and are disconnected.',
  // Five attacks, each on a server of its own, and the wait until those who read a little are disconnected.
  extraSeconds: () => 300,
  async run(context: TrialContext) {
    const findings = new Findings();
    let counts: Counts = { slow: context.scale.slowReaders };
    for (const attack of ATTACK_NAMES) {
      counts = { ...counts, ...(await tryAttack(attack, context, findings)) };
    }
    return { broken: findings.broken, counts };
  },
};

type Attack = keyof typeof ATTACKS;
const ATTACK_NAMES: readonly Attack[] = ['script', 'trickle', 'sitemap', 'pipelined', 'flood'];

async function tryAttack(attack: Attack, { scale, say }: TrialContext, findings: Findings) {
  const site = await makeSite('sqlite');
  const metricsPort = await freePort();
  try {
    const keys = await addGuilds(site, KEYS);
    if (attack === 'sitemap') await addCommunities(site, COMMUNITIES - KEYS);
    const server = await startServer({ ...site.env, VOTARY_METRICS_PORT: String(metricsPort) });
    const metrics = watchMetrics(metricsPort);
    await warmUp(server.url, WARM_UP_REQUESTS[scale.isQuick ? 'quick' : 'full']);
    await pause(REST_MS);
    metrics.peakMegabytes();
    await pause(REST_MS);
    const idle = metrics.peakMegabytes();
    const good = { url: server.url, keys, findings };
    const before = await measureGoodClient({
      ...good,
      forMs: BEFORE_MS,
      p99LimitMs: Number.POSITIVE_INFINITY,
    });
    const usual = Math.max(...Object.values(before).map(({ p99_ms = 0 }) => p99_ms));
    const readers = await openSlowReaders(portOf(server), scale.slowReaders, ATTACKS[attack]);
    if (attack === 'trickle') readers.readSlowly();
    say(`${attack}: ${scale.slowReaders} clients that do not read are connected`);
    const forMs = scale.slowSeconds * 1000;
    // During a quick run, other programs are running.
    const p99LimitMs = scale.isQuick ? usual + P99_LIMIT_MS : P99_LIMIT_MS;
    const answered = await measureGoodClient({ ...good, forMs, p99LimitMs });
    const growth = metrics.peakMegabytes() - idle;
    findings.expect(growth <= GROWTH_LIMIT_MB, `${attack}: memory grew by ${growth} MB`);
    // The system's buffers take all pipelined responses and a sitemap, or the clients are disconnected immediately.
    const isLarge = ATTACKS[attack] === get(SCRIPT);
    // A quick run waits only for the clients that read a little.
    const isWaiting = isLarge && (attack === 'trickle' || !scale.isQuick);
    const seconds = isWaiting ? await untilDisconnected(metrics, scale.slowReaders) : undefined;
    if (isWaiting) {
      const closed = disconnected(metrics);
      // The buffers of both systems can take a whole response: the server has nothing left to send then.
      const whole = await readers.countWhole(await readEnd(server.url, SCRIPT));
      findings.expect(
        closed + whole === scale.slowReaders,
        `${attack}: only ${closed} of ${scale.slowReaders - whole} were disconnected`,
      );
    }
    readers.close();
    await metrics.stop();
    findings.expect((await server.stop()) === 0, 'the server did not stop with exit code 0');
    return {
      [`${attack}_memory`]: { idle_mb: idle, growth_mb: growth },
      [`${attack}_before`]: { p99_ms: usual },
      [`${attack}_kept_alive`]: answered.kept_alive ?? {},
      [`${attack}_new_connection`]: answered.new_connection ?? {},
      ...(seconds === undefined ? {} : { [`${attack}_disconnected_after_seconds`]: seconds }),
    };
  } finally {
    await site.remove();
  }
}

/**
 * V8 enlarges the space for new objects under any load and keeps it, so idle memory is measured after the server was
 * used.
 */
async function warmUp(url: string, count: number): Promise<void> {
  const client = newClient(url, { maxSockets: WARM_UP_CLIENTS });
  let requests = 0;
  const isOver = () => requests >= count;
  await inParallel(WARM_UP_CLIENTS, isOver, async () => {
    requests += 1;
    await client.call(requests % 500 === 0 ? SCRIPT : '/', { timeoutMs: 60_000 });
  });
  client.close();
}

/** The last bytes of a file. */
async function readEnd(url: string, path: string): Promise<Buffer> {
  const client = newClient(url);
  const { text } = await client.call(path);
  client.close();
  return Buffer.from(text).subarray(-64);
}

/** How many clients the server has disconnected because they did not read. */
function disconnected(metrics: MetricsWatch): number {
  const closed = (limit: string) => metrics.value(`votary_connection_limits_total{limit="${limit}"}`);
  return closed('unread_output') + closed('slow_reading');
}

/** How long it takes until the server has disconnected this many, from now, or has had enough time. */
async function untilDisconnected(metrics: MetricsWatch, count: number): Promise<number> {
  const start = performance.now();
  while (disconnected(metrics) < count && performance.now() - start < CLOSED_WITHIN_MS) await pause(100);
  return Math.round((performance.now() - start) / 1000);
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
}

function portOf({ url }: RunningServer): number {
  return Number(new URL(url).port);
}

function addCommunities(site: Site, count: number): Promise<void> {
  return site.withStore(async (store) => {
    for (let index = 0; index < count; index += 1) {
      const guildId = numberedGuild(KEYS + index);
      await store.guilds.add({ guildId, name: `Community ${index}`, createdAt: Date.now() });
    }
  });
}

type SlowReaders = {
  readSlowly(): void;
  /** Reads what has arrived, and counts the clients that received a response up to this end. */
  countWhole(end: Buffer): Promise<number>;
  close(): void;
};

/**
 * Clients that request much and read nothing, each on its own TLS connection. Resolves when this many have sent their
 * requests.
 */
async function openSlowReaders(port: number, count: number, requests: string): Promise<SlowReaders> {
  const sockets: TLSSocket[] = [];
  const open = async (): Promise<void> => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }).pause();
    sockets.push(socket.on('error', () => {}));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once('close', () => reject(new Error('a slow reader was not let in')));
    socket.once('secureConnect', () => {
      socket.write(requests);
      resolve();
    });
    await promise;
  };
  while (sockets.length < count) {
    await Promise.all(Array.from({ length: Math.min(OPENING_AT_ONCE, count - sockets.length) }, open));
  }
  let timer: NodeJS.Timeout | undefined;
  return {
    readSlowly: () => {
      timer = setInterval(() => {
        for (const socket of sockets) socket.read(TRICKLE.bytes);
      }, TRICKLE.everyMs);
    },
    countWhole: async (end) => {
      clearInterval(timer);
      const whole = await Promise.all(sockets.map((socket) => receivesWhole(socket, end)));
      return whole.filter(Boolean).length;
    },
    close: () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads the rest. Resolves at the end of the response, which is whole, or of the connection. */
function receivesWhole(socket: TLSSocket, end: Buffer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let last = Buffer.alloc(0);
  if (socket.closed) resolve(false);
  socket.once('close', () => resolve(false));
  socket.on('data', (chunk: Buffer) => {
    last = Buffer.concat([last, chunk]).subarray(-end.length);
    if (last.equals(end)) resolve(true);
  });
  socket.resume();
  return promise;
}
