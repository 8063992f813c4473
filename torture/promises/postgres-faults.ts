import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { startServer } from '../lib/processes.ts';
import { Findings, type Trial, type TrialWorld } from '../lib/promise.ts';
import { seeded } from '../lib/random.ts';
import { addGuilds, makeSite, type Site, startTorturePostgres } from '../lib/site.ts';
import { startTcpProxy, type TcpProxy } from '../lib/tcp-proxy.ts';
import { type Watch, watch } from '../lib/watch.ts';

const MAX_CONNECTIONS = 40;
const KEYS = 300;
/** Of node-postgres; a server never has more open. */
const POOL_SIZE = 10;
const BACK_WITHIN_MS = 2000;

/** What each harm needs to be done. */
type Scene = { server: PostgresServer; site: Site; proxy: TcpProxy; seconds: number };

/** Each does its harm, ends it, and from then on the clock runs. */
const HARMS: Record<string, (scene: Scene, seen: Watch) => Promise<void>> = {
  async stopped({ server }, seen) {
    await server.stop();
    await seen.untilFailing();
    await pause(500);
    await server.start();
  },
  async slowed({ proxy, seconds }) {
    proxy.delayMs = 150;
    await pause(seconds * 1000);
    proxy.delayMs = 0;
  },
  async cut({ proxy, seconds }) {
    const random = seeded(8);
    for (const start = performance.now(); performance.now() - start < seconds * 1000; ) {
      proxy.delayMs = random() * 60;
      await pause(random() * 200);
      proxy.cutAll();
    }
    proxy.delayMs = 0;
  },
  async exhausted({ site, proxy, seconds }, seen) {
    const holding = holdConnections(site);
    // Votary's own are cut until the holder has caught them all.
    const cutting = setInterval(() => proxy.cutAll(), 100);
    await seen.untilFailing();
    await pause(seconds * 500);
    clearInterval(cutting);
    await holding.release();
  },
};

export const postgresFaultsTrial: Trial = {
  name: 'postgres-faults',
  promise:
    'Whatever happens to PostgreSQL, answers stay in the contract, no connection leaks, and service is back within 2 s of it.',
  async run({ scale, say }: TrialWorld) {
    const findings = new Findings();
    const server = await startTorturePostgres({
      max_connections: String(MAX_CONNECTIONS),
      superuser_reserved_connections: '3',
    });
    const site = await makeSite('postgres', server);
    const proxy = await startTcpProxy(Number(new URL(server.url).port));
    try {
      const keys = await addGuilds(site, KEYS);
      const votary = await startServer({
        ...site.env,
        VOTARY_DATABASE_URL: throughProxy(site, proxy),
        VOTARY_TRUSTED_PROXIES: '127.0.0.1',
      });
      const seen = watch(votary.url, keys, findings);
      await seen.untilWell();
      const back: Record<string, number> = {};
      for (const [name, harm] of Object.entries(HARMS)) {
        await harm({ server, site, proxy, seconds: scale.faultSeconds }, seen);
        back[name] = await seen.untilWell();
        say(`${name}: back after ${back[name]} ms`);
        findings.expect((back[name] ?? 0) <= BACK_WITHIN_MS, `${name}: back only after ${back[name]} ms`);
        await pause(1000);
      }
      const connections = await countConnections(site);
      findings.expect(connections <= POOL_SIZE, `${connections} connections are open`);
      await seen.stop();
      findings.expect((await votary.stop()) === 0, 'the server did not stop with exit code 0');
      const left = await countConnections(site);
      findings.expect(left === 0, `${left} connections were left behind`);
      return {
        broken: findings.broken,
        counts: {
          faults: Object.keys(HARMS).length,
          back_after_ms: back,
          statuses: seen.statuses,
          connections,
          left_behind: left,
        },
      };
    } finally {
      proxy.close();
      await site.remove();
      await server.remove();
    }
  },
};

function throughProxy({ database }: Site, proxy: TcpProxy): string {
  const url = new URL(database.kind === 'postgres' ? database.url : '');
  url.port = String(proxy.port);
  return url.href;
}

/** Takes every connection that comes free. */
function holdConnections({ database }: Site): { release(): Promise<void> } {
  const holders: pg.Client[] = [];
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      const holder = new pg.Client({ connectionString: database.kind === 'postgres' ? database.url : '' });
      holder.on('error', () => {});
      await holder.connect().then(
        () => holders.push(holder),
        () => pause(2),
      );
    }
  })();
  return {
    release: async () => {
      isOver = true;
      await work;
      await Promise.all(holders.map((holder) => holder.end()));
    },
  };
}

async function countConnections({ database }: Site): Promise<number> {
  const client = new pg.Client({ connectionString: database.kind === 'postgres' ? database.url : '' });
  await client.connect();
  const { rows } = await client.query(
    "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = 'votary'",
  );
  await client.end();
  return rows[0].open;
}
