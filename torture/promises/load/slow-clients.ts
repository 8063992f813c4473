import { setTimeout as pause } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { startServer } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext } from '../../lib/promise.ts';
import { percentile } from '../../lib/random.ts';
import { addGuilds, makeSite } from '../../lib/site.ts';
import { measureGoodClient } from './good-client.ts';

const P99_LIMIT_MS = 1000;
const KEYS = 200;
const DRIP_MS = 1000;
/** This many handshakes at a time: slow headers should occupy the server, not handshakes. */
const OPENING_AT_ONCE = 20;
const PATIENCE_MS = 60_000;

export const slowClientsTrial: Trial = {
  name: 'slow-clients',
  promise: 'A thousand clients that never finish their headers do not delay others by a second.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const site = await makeSite('sqlite');
    try {
      const keys = await addGuilds(site, KEYS);
      const server = await startServer(site.env);
      const slow = await openSlowClients(Number(new URL(server.url).port), scale.slowClients);
      say(`${scale.slowClients} slow clients are connected`);
      const openCounts: number[] = [];
      const answered = await measureGoodClient({
        url: server.url,
        keys,
        forMs: scale.slowSeconds * 1000,
        p99LimitMs: P99_LIMIT_MS,
        findings,
        onAnswer: () => void openCounts.push(slow.countOpen()),
      });
      const stillOpen = slow.countOpen();
      slow.close();
      findings.expect((await server.stop()) === 0, 'the server did not stop with exit code 0');
      const mostlyOpen = percentile(openCounts, 0.05);
      findings.expect(
        mostlyOpen >= scale.slowClients / 2,
        `for a twentieth of the good requests only ${mostlyOpen} slow clients were there`,
      );
      return {
        broken: findings.broken,
        counts: {
          slow: scale.slowClients,
          lowest_open: Math.min(...openCounts),
          still_open: stillOpen,
          renewed: slow.countRenewed(),
          requests: openCounts.length,
          ...answered,
        },
      };
    } finally {
      await site.remove();
    }
  },
};

type SlowClients = {
  /** Connections that are currently in the middle of their headers. */
  countOpen(): number;
  /** The number of connections that the server closed and another one replaced. */
  countRenewed(): number;
  close(): void;
};

/** Clients that never finish their headers, each on its own TLS connection. Resolves when this many are connected. */
async function openSlowClients(port: number, count: number): Promise<SlowClients> {
  const dripping = new Map<TLSSocket, NodeJS.Timeout>();
  let renewed = 0;
  let isOver = false;

  /** One client for the whole trial: when its connection is closed, it opens the next one. */
  const open = async (): Promise<void> => {
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {}).resume();
    socket.once('secureConnect', () => {
      socket.write('GET /v7/vote-check HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
      dripping.set(
        socket,
        setInterval(() => socket.writable && socket.write('x'), DRIP_MS),
      );
      resolve();
    });
    socket.once('close', () => {
      clearInterval(dripping.get(socket));
      dripping.delete(socket);
      resolve();
      if (isOver) return;
      renewed += 1;
      void open();
    });
    await connected;
  };

  for (let opened = 0; opened < count; opened += OPENING_AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(OPENING_AT_ONCE, count - opened) }, open));
  }
  for (const start = performance.now(); dripping.size < count; await pause(10)) {
    if (performance.now() - start > PATIENCE_MS) throw new Error(`only ${dripping.size} are connected`);
  }
  return {
    countOpen: () => dripping.size,
    countRenewed: () => renewed,
    close: () => {
      isOver = true;
      for (const socket of dripping.keys()) socket.destroy();
    },
  };
}
