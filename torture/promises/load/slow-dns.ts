import { setTimeout as pause } from 'node:timers/promises';
import { createEndpoints } from '../../../src/webhooks/endpoints.ts';
import { endpointDeps } from '../../../src/webhooks/open.ts';
import { startFakeDiscord } from '../../../test/support/discord/fake-discord.ts';
import { type Answer, type Client, castVote, newClient } from '../../lib/client.ts';
import { type RunningServer, startDemoServer, startServer } from '../../lib/processes.ts';
import { type Counts, Findings, type Trial, type TrialContext } from '../../lib/promise.ts';
import { percentile } from '../../lib/random.ts';
import { startReceiver } from '../../lib/receiver.ts';
import { newUserId, openSessionIssuer } from '../../lib/sessions.ts';
import {
  addEndpoint,
  addGuild,
  addGuilds,
  GUILD,
  makeSite,
  numberedGuild,
  type Site,
} from '../../lib/site.ts';
import { openSlowNames, type SlowNames } from './slow-names.ts';

const P99_LIMIT_MS = 2000;
/** More endpoints than concurrent attempts to unproven ones, and enough to keep all slots busy. */
const SLOW_GUILDS = 40;
const VOTES_EACH = 5;
/** Names that are being resolved before anything is measured: more than libuv has threads. */
const HANGING = 16;
/** Concurrently, so that the database pool opens all its connections. */
const CHECKS = 20;
/** The maximum time to wait for anything. */
const PATIENCE_MS = 5000;
const BETWEEN_MS = 50;

type Scene = { names: SlowNames; seconds: number; findings: Findings };

export const slowDnsTrial: Trial = {
  name: 'slow-dns',
  promise: 'Webhooks to names that never resolve do not delay sign-in, the database or other webhooks.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const names = await openSlowNames();
    if (!names) {
      return {
        broken: ['not tried: only root on Linux may give processes a name server of their own'],
        counts: {},
      };
    }
    const scene = { names, seconds: scale.slowSeconds, findings };
    try {
      const signIns = await trySignIns(scene);
      say('sign-ins and new connections to the database are measured');
      const webhooks = await tryWebhooks(scene);
      return { broken: findings.broken, counts: { ...signIns, webhooks, questions: names.asked() } };
    } finally {
      await names.close();
    }
  },
};

/** A database and a Discord that are reached by name, as usual. */
async function trySignIns({ names, seconds, findings }: Scene): Promise<Counts> {
  const site = await makeSite('postgres');
  const discord = await startFakeDiscord();
  try {
    const keys = await addGuilds(site, SLOW_GUILDS);
    const env = {
      ...site.env,
      ...discord.env,
      VOTARY_DATABASE_URL: byName(site.env.VOTARY_DATABASE_URL ?? ''),
      VOTARY_DISCORD_API: byName(discord.url),
      VOTARY_TRUSTED_PROXIES: '127.0.0.1',
    };
    const server = await startServer(env, { through: names.through });
    await queueSlowWebhooks(site, names);
    const client = newClient(server.url);
    const checks = await Promise.all(
      keys.slice(0, CHECKS).map((key, i) => timed(() => check(client, key, i), 200)),
    );
    const signIns: Timed[] = [];
    for (
      const start = performance.now();
      performance.now() - start < seconds * 1000;
      await pause(BETWEEN_MS)
    ) {
      signIns.push(await timed(() => signIn(client, signIns.length), 303));
    }
    client.close();
    const counts = {
      checks: judge('checks', checks, findings),
      sign_ins: judge('sign-ins', signIns, findings),
    };
    await end(server, findings);
    return counts;
  } finally {
    await discord.close();
    await site.remove();
  }
}

/** From a vote to its webhook, while others wait for name resolution. */
async function tryWebhooks({ names, seconds, findings }: Scene): Promise<Record<string, number>> {
  const site = await makeSite('sqlite');
  const issuer = await openSessionIssuer(site.secrets, { isDemo: true });
  const receiver = await startReceiver();
  try {
    await addGuilds(site, SLOW_GUILDS);
    await addGuild(site);
    await addEndpoint(site, byName(receiver.url));
    const server = await startDemoServer(site.env, { through: names.through });
    const client = newClient(server.url);
    const vote = async () => {
      const session = await issuer.issue(newUserId());
      const { status } = await castVote(client, GUILD, session);
      for (const start = performance.now(); !receiver.users.has(session.userId); await pause(1)) {
        if (performance.now() - start > PATIENCE_MS) return 0;
      }
      return status;
    };
    await vote();
    await queueSlowWebhooks(site, names);
    const votes: Timed[] = [];
    for (
      const start = performance.now();
      performance.now() - start < seconds * 1000;
      await pause(BETWEEN_MS)
    ) {
      votes.push(await timed(vote, 303));
    }
    client.close();
    const counts = judge('webhooks', votes, findings);
    await end(server, findings);
    return counts;
  } finally {
    await issuer.close();
    await receiver.close();
    await site.remove();
  }
}

/** A server that blocks others also blocks its own exit, which is not awaited. */
async function end(server: RunningServer, findings: Findings): Promise<void> {
  if (findings.broken.length > 0) return server.kill();
  findings.expect((await server.stop()) === 0, 'the server did not stop with exit code 0');
}

function byName(url: string): string {
  return url.replace('127.0.0.1', 'localhost');
}

/** Votes for guilds whose endpoints do not resolve; resolves when the server waits for enough of them. */
async function queueSlowWebhooks(site: Site, names: SlowNames): Promise<void> {
  const before = names.asked();
  await site.withStore(async (store) => {
    const { secrets } = site;
    const deps = endpointDeps({
      store,
      clock: Date.now,
      random: Math.random,
      secrets,
      allowsLoopback: false,
    });
    // What these names resolve to when they are added does not matter here.
    const endpoints = createEndpoints({ ...deps, resolve: async () => [] });
    for (let i = 0; i < SLOW_GUILDS; i += 1) {
      const guildId = numberedGuild(i);
      const wish = { url: `https://slow-${i}.example.org/`, events: ['vote_received'] } as const;
      await endpoints.addEndpoint(guildId, wish, null);
      for (let j = 0; j < VOTES_EACH; j += 1) {
        const vote = { guildId, userId: newUserId(), castAt: Date.now(), externalId: null, isDoubled: false };
        await store.votes.cast(vote);
      }
    }
  });
  await names.untilAsked(before + HANGING);
}

/** Like a proxy for many clients, so no limit per address applies. */
function headersOf(n: number): Record<string, string> {
  return { 'x-forwarded-proto': 'https', 'x-forwarded-for': `10.0.${n >> 8}.${n & 255}` };
}

async function check(client: Client, key: string, n: number): Promise<number> {
  const headers = { ...headersOf(n), 'x-api-token': key };
  return (
    await client.call('/v7/vote-check?discord_id=200000000000000001', { headers, timeoutMs: PATIENCE_MS })
  ).status;
}

/** From our page to Discord's and back, like a browser. */
async function signIn(client: Client, n: number): Promise<number> {
  const headers = headersOf(n);
  const start = await client.call('/sign-in?back=/', { headers, timeoutMs: PATIENCE_MS });
  const consent = await fetch(String(start.headers.location), { redirect: 'manual' });
  const back = new URL(consent.headers.get('location') ?? '');
  const cookie = cookiesOf(start);
  const answer = await client.call(back.pathname + back.search, {
    headers: { ...headers, cookie },
    timeoutMs: PATIENCE_MS,
  });
  return answer.status;
}

function cookiesOf({ headers }: Answer): string {
  return (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
}

type Timed = { ms: number; isWell: boolean };

async function timed(work: () => Promise<number>, expected: number): Promise<Timed> {
  const before = performance.now();
  const status = await work().catch(() => 0);
  return { ms: performance.now() - before, isWell: status === expected };
}

function judge(what: string, seen: readonly Timed[], findings: Findings): Record<string, number> {
  const times = seen.map(({ ms }) => ms);
  const failed = seen.filter(({ isWell }) => !isWell).length;
  const p99 = Math.round(percentile(times, 0.99));
  findings.expect(failed === 0, `${failed} of ${seen.length} ${what} failed`);
  findings.expect(p99 < P99_LIMIT_MS, `p99 of ${what} was ${p99} ms`);
  return { seen: seen.length, failed, p50_ms: Math.round(percentile(times, 0.5)), p99_ms: p99 };
}
