import { setTimeout as pause } from 'node:timers/promises';
import { startFakeDiscord } from '../../../test/support/discord/fake-discord.ts';
import type { PostgresServer } from '../../../test/support/postgres/postgres-server.ts';
import { castVote, newClient } from '../../lib/client.ts';
import { startServer } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext, type TrialResult } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import { newUserId, openSessionIssuer, type SessionIssuer } from '../../lib/sessions.ts';
import {
  addGuild,
  addGuilds,
  doubledUsers,
  GUILD,
  makeSite,
  readVotes,
  type Site,
  startTorturePostgres,
} from '../../lib/site.ts';
import { startTcpProxy, type TcpProxy } from '../../lib/tcp-proxy.ts';
import { countBusy, countOpen, holdConnections, holdVotes } from './postgres-connections.ts';
import { type Watch, watch } from './watch.ts';

const MAX_CONNECTIONS = 40;
const KEYS = 300;
/** The default of node-postgres; a server never opens more. */
const POOL_SIZE = 10;
const BACK_WITHIN_MS = 2000;
const CALM_MS = 1000;
/** A cut is over when the other side has noticed it: a request in between cannot succeed. */
const NOTICED_MS = 100;

/** The requirements of each failure. */
type Scene = {
  server: PostgresServer;
  site: Site;
  proxy: TcpProxy;
  issuer: SessionIssuer;
  seconds: number;
  findings: Findings;
};

/** Each causes its failure and ends it; then the time is measured. */
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
    await pause(NOTICED_MS);
  },
  async exhausted({ site, proxy, seconds }, seen) {
    const holding = holdConnections(site);
    // Votary's connections are closed until the holder has taken all of them.
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
    'Whatever happens to PostgreSQL, responses follow the contract, no vote is lost, no connection leaks, and the service recovers within 2 s of it.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const server = await startTorturePostgres({
      max_connections: String(MAX_CONNECTIONS),
      superuser_reserved_connections: '3',
    });
    const site = await makeSite('postgres', server);
    const proxy = await startTcpProxy(Number(new URL(server.url).port));
    const issuer = await openSessionIssuer(site.secrets);
    try {
      return await harm({ server, site, proxy, issuer, seconds: scale.faultSeconds, findings }, say);
    } finally {
      await issuer.close();
      proxy.close();
      await site.remove();
      await server.remove();
    }
  },
};

async function harm(scene: Scene, say: (text: string) => void): Promise<TrialResult> {
  const { site, issuer, findings } = scene;
  const discord = await startFakeDiscord();
  const keys = await addGuilds(site, KEYS);
  await addGuild(site);
  const votary = await startServer({
    ...site.env,
    ...discord.env,
    VOTARY_DATABASE_URL: throughProxy(scene),
    VOTARY_TRUSTED_PROXIES: '127.0.0.1',
  });
  const seen = watch({ url: votary.url, keys, issuer, findings });
  await seen.untilWell();
  const back: Record<string, number> = {};
  for (const [name, doHarm] of Object.entries(HARMS)) {
    await doHarm(scene, seen);
    const { afterMs, failedFirst } = await seen.untilWell();
    back[name] = afterMs;
    findings.expect(failedFirst.length === 0, `${name}: the first ${failedFirst.join(', ')} after it failed`);
    findings.expect(afterMs <= BACK_WITHIN_MS, `${name}: back only after ${afterMs} ms`);
    await seen.staysWell(CALM_MS);
    await judgeVotes(scene, seen, name);
    say(`${name}: back after ${afterMs} ms, ${seen.accepted.size} votes so far`);
  }
  await seen.stop();
  const connections = await judgeConnections(scene, votary.url);
  findings.expect((await votary.stop()) === 0, 'the server did not stop with exit code 0');
  await discord.close();
  const leftBehind = await countOpen(site);
  findings.expect(leftBehind === 0, `${leftBehind} connections were left behind`);
  return {
    broken: findings.broken,
    counts: {
      harms: Object.keys(HARMS).length,
      requests: seen.countRequests(),
      votes: seen.accepted.size,
      ...(await judgeVotes(scene, seen, 'in the end')),
      back_after_ms: back,
      answers: seen.answers,
      ...connections,
      left_behind: leftBehind,
    },
  };
}

function throughProxy({ site: { database }, proxy }: Scene): string {
  const url = new URL(database.kind === 'postgres' ? database.url : '');
  url.port = String(proxy.port);
  return url.href;
}

async function judgeVotes({ site, findings }: Scene, seen: Watch, when: string) {
  const accepted = [...seen.accepted];
  const votes = await readVotes(site);
  const lost = accepted.filter((userId) => !votes.has(userId)).length;
  const doubled = doubledUsers(votes).length;
  findings.expect(lost === 0, `${when}: ${lost} accepted votes were lost`);
  findings.expect(doubled === 0, `${when}: ${doubled} users have two votes within an hour`);
  findings.expect(accepted.length > 0, `${when}: no vote was accepted`);
  return { lost, doubled };
}

/**
 * Without requests, no connection is busy. None is missing in the pool either, where PostgreSQL would show it as
 * idle: all of them can be used at the same time.
 */
async function judgeConnections({ site, issuer, findings }: Scene, url: string) {
  const open = await countOpen(site);
  findings.expect(open <= POOL_SIZE, `${open} connections are open`);
  const busy = await countBusy(site, 0);
  findings.expect(busy === 0, `${busy} connections are busy though nobody asks for anything`);
  const client = newClient(url);
  const people = await Promise.all(Array.from({ length: POOL_SIZE }, () => issuer.issue(newUserId())));
  const release = await holdVotes(site);
  const votes = people.map((person) => castVote(client, GUILD, person, { 'x-forwarded-proto': 'https' }));
  const usable = await countBusy(site, POOL_SIZE);
  await release();
  const statuses = (await Promise.all(votes)).map(({ status }) => status);
  client.close();
  findings.expect(usable === POOL_SIZE, `only ${usable} of ${POOL_SIZE} connections can be used`);
  findings.expect(
    statuses.every((status) => status === 303),
    `votes that waited got ${statuses.join(', ')}`,
  );
  return { connections: open, busy, usable };
}
