import { setTimeout as pause } from 'node:timers/promises';
import { runOn } from '../../../test/support/postgres/postgres.ts';
import type { PostgresServer } from '../../../test/support/postgres/postgres-server.ts';
import { type Client, castVote, inParallel, newClient } from '../../lib/client.ts';
import { type RunningServer, startServer } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext } from '../../lib/promise.ts';
import { newUserId, openSessionIssuer, type SessionIssuer } from '../../lib/sessions.ts';
import {
  addGuild,
  doubledUsers,
  GUILD,
  makeSite,
  readVotes,
  type Site,
  siteOn,
  startTorturePostgres,
} from '../../lib/site.ts';

const PROCESSES = 2;
const VOTERS = 8;
const RETRY_MS = 20;
/** How long the standby does not receive anything before the primary is killed. */
const LAG_MS = 300;
const BACK_WITHIN_MS = 5000;
/** How long a person or a tool takes to notice that the primary is down. */
const UNTIL_PROMOTED_MS = 500;

export const failoverTrial: Trial = {
  name: 'failover',
  promise:
    'When the PostgreSQL primary is killed and its synchronous standby promoted, no accepted vote is lost, and both processes accept votes within 5 s without a restart.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const counts = { rounds: 0, votes: 0, retried: 0, lost: 0, doubled: 0, back_after_ms: 0 };
    for (; counts.rounds < scale.failoverRounds; counts.rounds += 1) {
      const { backAfterMs, ...seen } = await failOver(counts.rounds % 2 === 0, scale.failoverVotes, findings);
      counts.votes += seen.votes;
      counts.retried += seen.retried;
      counts.lost += seen.lost;
      counts.doubled += seen.doubled;
      counts.back_after_ms = Math.max(counts.back_after_ms, backAfterMs);
      say(`${counts.votes} votes, ${counts.lost} lost, back ${backAfterMs} ms after the primary was killed`);
    }
    return { broken: findings.broken, counts };
  },
};

async function failOver(isPrimaryFirst: boolean, votesEach: number, findings: Findings) {
  const primary = await startTorturePostgres();
  const made = await makeSite('postgres', primary);
  await addGuild(made);
  const standby = await primary.startStandby();
  const issuer = await openSessionIssuer(made.secrets);
  try {
    await makeSynchronous(primary);
    const site = onHosts(made, isPrimaryFirst ? [primary, standby] : [standby, primary]);
    const servers = await Promise.all(Array.from({ length: PROCESSES }, () => startServer(site.env)));
    const voting = startVoting(servers, issuer);
    await voting.untilEachAccepted(votesEach);

    await stopReplication(primary);
    await pause(LAG_MS);
    const killedAt = performance.now();
    await primary.kill();
    await pause(UNTIL_PROMOTED_MS);
    await runOn(standby.url, 'SELECT pg_promote()');
    await voting.untilEachAccepted(1);
    const backAfterMs = Math.round(performance.now() - killedAt);
    findings.expect(backAfterMs <= BACK_WITHIN_MS, `votes were accepted again only after ${backAfterMs} ms`);
    await voting.untilEachAccepted(votesEach);
    await voting.end();
    for (const server of servers) findings.expect((await server.stop()) === 0, 'exit code was not 0');

    const stored = await readVotes(site);
    const lost = voting.accepted.filter((userId) => !stored.has(userId)).length;
    const doubled = doubledUsers(stored).length;
    findings.expect(lost === 0, `${lost} accepted votes were lost`);
    findings.expect(doubled === 0, `${doubled} users have two votes within an hour`);
    return { votes: voting.accepted.length, retried: voting.retried(), lost, doubled, backAfterMs };
  } finally {
    await issuer.close();
    await standby.remove();
    await primary.remove();
    await made.remove();
  }
}

/** A commit waits until the standby has received it. */
async function makeSynchronous(primary: PostgresServer): Promise<void> {
  await runOn(primary.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await runOn(primary.url, 'SELECT pg_reload_conf()');
  const isSynchronous = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
  while ((await runOn(primary.url, isSynchronous)).length === 0) await pause(RETRY_MS);
}

/** Commits from now on never reach the standby, so they must not be confirmed either. */
async function stopReplication(primary: PostgresServer): Promise<void> {
  for (const { pid } of await runOn(primary.url, 'SELECT pid FROM pg_stat_replication')) {
    process.kill(Number(pid), 'SIGSTOP');
  }
}

/** The same site through an address with several hosts. */
function onHosts({ database, folder }: Site, servers: readonly PostgresServer[]): Site {
  if (database.kind !== 'postgres') throw new Error('only PostgreSQL has hosts');
  const hosts = servers.map(({ url }) => new URL(url).host).join(',');
  const url = database.url.replace(new URL(database.url).host, hosts);
  return siteOn({ kind: 'postgres', url: `${url}?target_session_attrs=read-write` }, folder);
}

/** Everyone votes once, at any process, and retries until the vote is confirmed. */
function startVoting(servers: readonly RunningServer[], issuer: SessionIssuer) {
  const clients = servers.map(({ url }) => newClient(url));
  const accepted: string[] = [];
  const acceptedBy = clients.map(() => 0);
  let retried = 0;
  let isOver = false;

  async function vote(client: Client, index: number): Promise<void> {
    const session = await issuer.issue(newUserId());
    while ((await castVote(client, GUILD, session).catch(() => undefined))?.status !== 303) {
      if (isOver) return;
      retried += 1;
      await pause(RETRY_MS);
    }
    accepted.push(session.userId);
    acceptedBy[index] = (acceptedBy[index] ?? 0) + 1;
  }

  const work = inParallel(
    VOTERS,
    () => isOver,
    async (voter) => {
      const index = voter % clients.length;
      const client = clients[index];
      if (client) await vote(client, index);
    },
  );
  return {
    accepted,
    retried: () => retried,
    /** Resolves when each process has accepted this many more votes. */
    async untilEachAccepted(more: number): Promise<void> {
      const before = [...acceptedBy];
      while (acceptedBy.some((count, i) => count - (before[i] ?? 0) < more)) await pause(RETRY_MS);
    },
    async end(): Promise<void> {
      isOver = true;
      await work;
      for (const client of clients) client.close();
    },
  };
}
