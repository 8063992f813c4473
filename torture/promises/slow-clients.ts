import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { newClient } from '../lib/client.ts';
import { startServer } from '../lib/processes.ts';
import { Findings, type Trial, type TrialWorld } from '../lib/promise.ts';
import { percentile } from '../lib/random.ts';
import { addGuilds, makeSite } from '../lib/site.ts';

const P99_LIMIT_MS = 1000;

export const slowClientsTrial: Trial = {
  name: 'slow-clients',
  promise: 'A thousand clients that never finish their request do not keep a good one waiting for a second.',
  async run({ scale, say }: TrialWorld) {
    const findings = new Findings();
    const site = await makeSite('sqlite');
    try {
      const keys = await addGuilds(site, 100);
      const server = await startServer(site.env);
      const slow = openSlowClients(Number(new URL(server.url).port), scale.slowClients);
      await slow.opened;
      say(`${scale.slowClients} slow clients are connected`);
      const times = await measureGoodOnes(server.url, keys, scale.slowSeconds * 1000, findings);
      const stillOpen = slow.countOpen();
      slow.close();
      findings.expect((await server.stop()) === 0, 'the server did not stop with exit code 0');
      const p99 = Math.round(percentile(times, 0.99));
      findings.expect(p99 < P99_LIMIT_MS, `p99 of good requests was ${p99} ms`);
      return {
        broken: findings.broken,
        counts: {
          slow: scale.slowClients,
          still_open: stillOpen,
          good: times.length,
          p50_ms: Math.round(percentile(times, 0.5)),
          p99_ms: p99,
        },
      };
    } finally {
      await site.remove();
    }
  },
};

/** Half of them stop before TLS has begun; the others inside it, one byte of a header at a time. */
function openSlowClients(port: number, count: number) {
  const sockets: Socket[] = [];
  const opened = Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const isTls = i % 2 === 0;
      const socket = isTls
        ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
        : connect({ port, host: '127.0.0.1' });
      socket.on('error', () => {}).on('close', () => resolve());
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        socket.write(isTls ? 'GET /v7/vote-check HTTP/1.1\r\nx-slow: ' : 'G');
        resolve();
      });
      sockets.push(socket);
      await promise;
    }),
  );
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 1000);
  return {
    opened,
    countOpen: () => sockets.filter((socket) => !socket.destroyed).length,
    close: () => {
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function measureGoodOnes(
  url: string,
  keys: readonly string[],
  forMs: number,
  findings: Findings,
): Promise<number[]> {
  const times: number[] = [];
  const client = newClient(url, { maxSockets: 4 });
  for (const start = performance.now(); performance.now() - start < forMs; ) {
    const before = performance.now();
    const key = keys[times.length % keys.length] ?? '';
    const { status } = await client.call('/v7/vote-check?discord_id=200000000000000001', {
      headers: { 'x-api-token': key },
    });
    times.push(performance.now() - before);
    findings.expect(status === 200, `a good request got ${status}`);
    await pause(10);
  }
  client.close();
  return times;
}
