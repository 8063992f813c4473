import { type Client, castVote, newClient } from '../lib/client.ts';
import { newUserId, openPassportOffice } from '../lib/passports.ts';
import { type Environment, type RunningServer, startServer } from '../lib/processes.ts';
import { Findings, type Trial, type TrialResult, type TrialWorld } from '../lib/promise.ts';
import { addGuild, GUILD, type Kind, makeSite } from '../lib/site.ts';
import { readVotes } from '../lib/votes.ts';

const PROCESSES = 4;

export const raceTrials: Trial[] = [
  ...(['sqlite', 'postgres'] as const).map((kind) => ({
    name: `one-vote-${kind}`,
    promise: `Of many votes of one user at once, over four processes on ${kind}, one is accepted.`,
    run: (world: TrialWorld) => oneVote(kind, world),
  })),
  {
    name: 'rate-limit',
    promise: 'Of many requests on one key at once, over four processes on PostgreSQL, exactly 30 pass.',
    run: rateLimit,
  },
];

async function oneVote(kind: Kind, { scale }: TrialWorld): Promise<TrialResult> {
  const findings = new Findings();
  const site = await makeSite(kind);
  const office = await openPassportOffice(site.secrets);
  try {
    await addGuild(site);
    const person = await office.issue(newUserId());
    const answers = await withProcesses(site.env, findings, (clients) =>
      Promise.all(
        Array.from({ length: scale.raceVotes }, (_, i) =>
          castVote(pick(clients, i), GUILD, person).then(({ status }) => status),
        ),
      ),
    );
    const kept = (await readVotes(site)).get(person.userId)?.length ?? 0;
    const answered = answers.filter((status) => status === 303).length;
    findings.expect(kept === 1, `${kept} votes were accepted`);
    findings.expect(answered === scale.raceVotes, `${scale.raceVotes - answered} requests were not answered`);
    return {
      broken: findings.broken,
      counts: { processes: PROCESSES, votes: scale.raceVotes, accepted: kept },
    };
  } finally {
    await office.close();
    await site.remove();
  }
}

async function rateLimit({ scale }: TrialWorld): Promise<TrialResult> {
  const findings = new Findings();
  const site = await makeSite('postgres');
  try {
    const key = await addGuild(site);
    const statuses = await withProcesses(site.env, findings, (clients) =>
      Promise.all(
        Array.from({ length: scale.raceRequests }, async (_, i) => {
          const headers = { 'x-api-token': key };
          return (await pick(clients, i).call('/v7/vote-check?external_id=x', { headers })).status;
        }),
      ),
    );
    const passed = statuses.filter((status) => status === 200).length;
    const limited = statuses.filter((status) => status === 429).length;
    const others = statuses.filter((status) => status !== 200 && status !== 429);
    findings.expect(passed === 30, `${passed} requests passed`);
    findings.expect(others.length === 0, `some were neither passed nor limited: ${others.join(', ')}`);
    return {
      broken: findings.broken,
      counts: { processes: PROCESSES, requests: scale.raceRequests, passed, limited },
    };
  } finally {
    await site.remove();
  }
}

/** Runs `work` against four processes that share one database, and sees that all of them end well. */
export async function withProcesses<T>(
  env: Environment,
  findings: Findings,
  work: (clients: Client[], servers: RunningServer[]) => Promise<T>,
): Promise<T> {
  const servers = await Promise.all(Array.from({ length: PROCESSES }, () => startServer(env)));
  const clients = servers.map(({ url }) => newClient(url));
  try {
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
