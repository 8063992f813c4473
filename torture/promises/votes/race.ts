import { startPgBouncer } from '../../../test/support/postgres/pgbouncer.ts';
import { type Answer, type Client, castVote, newClient } from '../../lib/client.ts';
import { type Environment, type RunningServer, startServer } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext, type TrialResult } from '../../lib/promise.ts';
import { newUserId, openSessionIssuer } from '../../lib/sessions.ts';
import { addGuild, GUILD, makeSite, readVotes, type Site, siteOn } from '../../lib/site.ts';

export const raceTrials: Trial[] = [
  ...(['sqlite', 'postgres'] as const).map((kind) => ({
    name: `one-vote-${kind}`,
    promise: `Of many concurrent votes of one user, over four processes on ${kind}, one is accepted.`,
    run: async (context: TrialContext) => oneVote(await makeSite(kind), context),
  })),
  {
    name: 'one-vote-pgbouncer',
    promise:
      'Of many concurrent votes of one user, over four processes on PostgreSQL behind PgBouncer in transaction mode, one is accepted.',
    run: oneVoteThroughPgBouncer,
  },
  {
    name: 'rate-limit',
    promise: 'Of many concurrent requests with one key, over four processes on PostgreSQL, exactly 30 pass.',
    run: rateLimit,
  },
];

/** Fewer sessions on the server than the processes have connections. */
const POOLED_SESSIONS = 10;

async function oneVoteThroughPgBouncer(context: TrialContext): Promise<TrialResult> {
  const direct = await makeSite('postgres');
  if (direct.database.kind !== 'postgres') throw new Error('PgBouncer is for PostgreSQL');
  const { url, stop } = await startPgBouncer(direct.database.url, POOLED_SESSIONS);
  const remove = async () => {
    await stop();
    await direct.remove();
  };
  return oneVote({ ...siteOn({ kind: 'postgres', url }, direct.folder), remove }, context);
}

async function oneVote(site: Site, { scale }: TrialContext): Promise<TrialResult> {
  const findings = new Findings();
  const issuer = await openSessionIssuer(site.secrets);
  const votes = scale.raceVotes;
  try {
    await addGuild(site);
    const person = await issuer.issue(newUserId());
    const { statuses, inFlight } = await withProcesses(
      { env: site.env, findings, atOnce: votes, processes: scale.processes },
      (clients) => askAtOnce(clients, votes, (client) => castVote(client, GUILD, person)),
    );
    const kept = (await readVotes(site)).get(person.userId)?.length ?? 0;
    const others = statuses.filter((status) => status !== 303);
    findings.expect(kept === 1, `${kept} votes were accepted`);
    findings.expect(others.length === 0, `some votes were neither kept nor refused: ${tally(others)}`);
    findings.expect(inFlight === votes, `only ${inFlight} votes were under way at once`);
    return {
      broken: findings.broken,
      counts: { processes: scale.processes, votes, at_once: inFlight, accepted: kept },
    };
  } finally {
    await issuer.close();
    await site.remove();
  }
}

async function rateLimit({ scale }: TrialContext): Promise<TrialResult> {
  const findings = new Findings();
  const site = await makeSite('postgres');
  const requests = scale.raceRequests;
  try {
    const headers = { 'x-api-token': await addGuild(site) };
    const { statuses, inFlight } = await withProcesses(
      { env: site.env, findings, atOnce: requests, processes: scale.processes },
      (clients) =>
        askAtOnce(clients, requests, (client) => client.call('/v7/vote-check?external_id=x', { headers })),
    );
    const passed = statuses.filter((status) => status === 200).length;
    const limited = statuses.filter((status) => status === 429).length;
    const others = statuses.filter((status) => status !== 200 && status !== 429);
    findings.expect(passed === 30, `${passed} requests passed`);
    findings.expect(others.length === 0, `some were neither passed nor limited: ${tally(others)}`);
    findings.expect(inFlight === requests, `only ${inFlight} requests were under way at once`);
    return {
      broken: findings.broken,
      counts: { processes: scale.processes, requests, at_once: inFlight, passed, limited },
    };
  } finally {
    await site.remove();
  }
}

/** Every request has its own connection and is sent before any response; `inFlight` confirms that. */
async function askAtOnce(
  clients: readonly Client[],
  count: number,
  ask: (client: Client) => Promise<Answer>,
): Promise<{ statuses: number[]; inFlight: number }> {
  const answers = Array.from({ length: count }, (_, i) => ask(pick(clients, i)));
  const inFlight = clients.reduce((sum, client) => sum + client.countInFlight(), 0);
  return { statuses: (await Promise.all(answers)).map(({ status }) => status), inFlight };
}

function tally(statuses: readonly number[]): string {
  const byStatus = Object.entries(Object.groupBy(statuses, (status) => status));
  return byStatus.map(([status, all]) => `${all?.length} times ${status}`).join(', ');
}

type Processes = {
  processes: number;
  env: Environment;
  findings: Findings;
  /** This many requests, across all processes, have an open connection. */
  atOnce: number;
};

/** Runs `work` against processes that share one database, and checks that all of them exit cleanly. */
export async function withProcesses<T>(
  { env, findings, atOnce, processes }: Processes,
  work: (clients: Client[], servers: RunningServer[]) => Promise<T>,
): Promise<T> {
  const connections = Math.ceil(atOnce / processes);
  const servers = await Promise.all(Array.from({ length: processes }, () => startServer(env)));
  const clients = servers.map(({ url }) => newClient(url, { maxSockets: connections }));
  try {
    await Promise.all(clients.map((client) => client.warmUp(connections)));
    return await work(clients, servers);
  } finally {
    for (const client of clients) client.close();
    const codes = await Promise.all(servers.map((server) => server.stop()));
    findings.expect(
      codes.every((code) => code === 0),
      `exit codes were ${codes.join(', ')}`,
    );
  }
}

export function pick<T>(all: readonly T[], i: number): T {
  const one = all[i % all.length];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
}
