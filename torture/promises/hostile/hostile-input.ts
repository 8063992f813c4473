import { type FakeDiscord, startFakeDiscord } from '../../../test/support/discord/fake-discord.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { startServer } from '../../lib/processes.ts';
import type { Scale, Trial, TrialContext, TrialResult } from '../../lib/promise.ts';
import { openSessionIssuer } from '../../lib/sessions.ts';
import { addGuilds, type Kind, makeSite, readVotes, type Site } from '../../lib/site.ts';
import { cpuFromMetrics } from './cpu-cost.ts';
import { operatorsAmong, seed, signInAdmins, withSessions } from './hostile-fixture.ts';
import { type ShotCounts, shoot } from './shoot.ts';

const SEED = 6;
/** Alternating keys, and a different address for each request, so that the rate limit lets most of them through. */
const KEYS = 400;
/** Fewer requests use TLS, because the handshakes cost more than the requests. */
const SHARES = { sqlite: 0.75, tls: 0.05, postgres: 0.2 };

/** `stride`: of `everyRun`, which is sent once, where it reaches most of the program. */
type Leg = { kind: Kind; isTls: boolean; share: number; stride?: number };
const QUICK_STRIDE = 97;
const LEGS: readonly Leg[] = [
  { kind: 'sqlite', isTls: false, share: SHARES.sqlite, stride: 7 },
  { kind: 'sqlite', isTls: true, share: SHARES.tls },
  { kind: 'postgres', isTls: false, share: SHARES.postgres },
];

type LegResult = Leg & ShotCounts & { votes: number };

export const hostileTrial: Trial = {
  name: 'hostile-input',
  promise:
    'No request causes a 5xx, an HTML page from the API, a stack trace, a hang, a crash or more than 50 ms of CPU time.',
  // The CPU time is measured for every few requests, which wait for each other.
  extraSeconds: ({ isQuick }) => (isQuick ? 0 : 600),
  async run(context: TrialContext) {
    const discord = await startFakeDiscord();
    try {
      const results: LegResult[] = [];
      for (const leg of LEGS) results.push(await tryLeg(leg, discord, context));
      return summary(results, context.scale);
    } finally {
      await discord.close();
    }
  },
};

async function tryLeg(leg: Leg, discord: FakeDiscord, { scale, say }: TrialContext): Promise<LegResult> {
  const site = await makeSite(leg.kind);
  const issuer = await openSessionIssuer(site.secrets);
  try {
    await site.withStore((store) => seed(store, site.secrets, Date.now()));
    const keys = await addGuilds(site, scale.isQuick ? 20 : KEYS);
    const sessions = await signInAdmins(discord, issuer);
    const options = withSessions(sessions, keys);
    const metricsPort = await freePort();
    const server = await startServer({
      ...site.env,
      ...discord.env,
      ...transportOf(leg),
      VOTARY_METRICS_PORT: String(metricsPort),
      VOTARY_MANAGE_RATE_LIMIT: '1000000',
      VOTARY_OPERATORS: operatorsAmong(sessions).join(','),
    });
    const result = await shoot({ port: Number(new URL(server.url).port), isTls: leg.isTls }, options, {
      count: Math.round(scale.hostileRequests * leg.share),
      seed: SEED + LEGS.indexOf(leg),
      ...(leg.stride === undefined ? {} : { stride: scale.isQuick ? QUICK_STRIDE : leg.stride }),
      cpu: cpuFromMetrics(metricsPort),
      onProgress: (done) => say(`${leg.kind}${leg.isTls ? ' over TLS' : ''}: ${done} requests`),
    });
    if (server.child.exitCode !== null) result.faults.push(`the server crashed: ${server.output()}`);
    if ((await server.stop()) !== 0) result.faults.push('the server did not stop with exit code 0');
    return { ...leg, ...result, votes: await countNewVotes(site) };
  } finally {
    await issuer.close();
    await site.remove();
  }
}

/** Behind a proxy each request has its own address. */
function transportOf({ isTls }: Leg): Record<string, string> {
  return isTls ? {} : { VOTARY_TRUSTED_PROXIES: '127.0.0.1' };
}

/** The fixture has three. */
async function countNewVotes(site: Site): Promise<number> {
  return (await readVotes(site)).size - 3;
}

function summary(results: readonly LegResult[], { isQuick }: Scale): TrialResult {
  const sum = (pick: (result: LegResult) => number) => results.map(pick).reduce((a, b) => a + b, 0);
  const counts = {
    seed: SEED,
    requests: sum(({ requests }) => requests),
    requests_by_leg: Object.fromEntries(
      results.map(({ kind, isTls, requests }) => [isTls ? `${kind}_tls` : kind, requests]),
    ),
    whole_requests: sum(({ whole }) => whole),
    answered: sum(({ answered }) => answered),
    closed: sum(({ closed }) => closed),
    forms_taken: sum(({ formsTaken }) => formsTaken),
    votes: sum(({ votes }) => votes),
    peak_cpu_ms_of_16: Math.max(...results.map(({ peakCpuMs }) => peakCpuMs)),
    statuses: addStatuses(results),
  };
  const broken = results.flatMap(({ faults }) => faults);
  // A few hundred requests may all be rejected; if a hundred thousand are, they have tested nothing.
  if (!isQuick && (counts.forms_taken === 0 || counts.votes === 0))
    broken.push('no request got past the doors');
  return { broken, counts };
}

function addStatuses(results: readonly LegResult[]): Record<string, number> {
  const statuses: Record<string, number> = {};
  for (const [status, count] of results.flatMap((result) => Object.entries(result.statuses)))
    statuses[status] = (statuses[status] ?? 0) + count;
  return statuses;
}
