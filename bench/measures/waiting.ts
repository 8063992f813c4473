/** The cost of clients that wait at the feed: memory, and CPU time of vote checks compared with a service without them. */
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { keyOf } from '../data-sets/keys.ts';
import type { LoadGenerator } from '../load/load.ts';
import type { Plan } from '../plan.ts';
import { type ServerProcess, startVotary } from '../servers/start.ts';
import { type Comparison, compareWarm, cpuRatio, medianSample, shortRounds } from './compare.ts';
import { onSameCore } from './cores.ts';
import type { Contender } from './sample.ts';
import { median } from './statistics.ts';
import { warmUp } from './warm-up.ts';

export type WaitingFigures = {
  clients: number;
  /** CPU time of a vote check without waiting clients divided by that with them. */
  ratio: number;
  checksPerSecond: number;
  /** Resident memory with waiting clients minus that before they connected. */
  rssMb: number;
};

const CLIENTS = 1000;
/** Clients connect one after the other, not all at once. */
const SPREAD_MS = 0.5;
/** Until the server has accepted, or closed, the last connection. */
const SETTLE_MS = 250;

const BUSY = 'with waiting clients';
const IDLE = 'without';

/** Both together have the rounds of one comparison. */
const TURNS = 2;
/** Of the requests of a warm-up, when the clients have connected or left. */
const WARM_UP_AGAIN = 1 / 4;

/**
 * Two servers, and the clients wait first at the one, then at the other. Two processes of the same program differ by some
 * percent, so neither is always the one with the clients.
 */
export async function measureWaiting({ data, load, plan }: Bench): Promise<WaitingFigures> {
  const database = `sqlite:${await data.spreadFile()}`;
  const requestsFile = data.requests.plainChecks;
  const start = (log: string) => startVotary(data.folder, log, { database, transport: 'http' });
  const servers = await Promise.all([start('votary-waiting-1'), start('votary-waiting-2')]);
  const connect = async ({ url }: ServerProcess): Promise<Clients> => {
    const clients = startClients(url, data.shape.guilds);
    await pause(CLIENTS * SPREAD_MS + SETTLE_MS);
    return clients;
  };
  const short = shortRounds(plan);
  const rounds = { ...short, rounds: Math.ceil(short.rounds / TURNS) };
  const turn = async (busy: ServerProcess, idle: ServerProcess): Promise<Comparison> => {
    const clients = await connect(busy);
    const contenders = [
      { name: BUSY, server: busy, requestsFile },
      { name: IDLE, server: idle, requestsFile },
    ];
    // What was created for the connections reaches the old generation.
    await warmUpAll(load, contenders, plan, WARM_UP_AGAIN);
    const comparison = await onSameCore(servers, [load], () => compareWarm(load, contenders, rounds));
    clients.stop();
    return comparison;
  };
  try {
    const [first, second] = servers;
    const all = servers.map((server) => ({ name: IDLE, server, requestsFile }));
    await warmUpAll(load, all, plan);
    const before = await first.usage();
    // V8 compiles code again that the waiting clients use too, so they are part of the warm-up.
    const clients = await Promise.all(servers.map(connect));
    await warmUpAll(load, all, plan, WARM_UP_AGAIN);
    const after = await first.usage();
    for (const { stop } of clients) stop();
    const turns = [await turn(first, second), await turn(second, first)];
    return {
      clients: CLIENTS,
      ratio: geometricMean(turns.map((comparison) => cpuRatio(comparison, BUSY, IDLE))),
      checksPerSecond: median(turns.map((comparison) => checksPerSecond(comparison))),
      rssMb: after.rssMb - before.rssMb,
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function warmUpAll(load: LoadGenerator, contenders: Contender[], plan: Plan, share = 1): Promise<void> {
  const warmUpPlan = { ...plan, warmUp: { ...plan.warmUp, requests: plan.warmUp.requests * share } };
  await Promise.all(contenders.map((contender) => warmUp(load, contender, warmUpPlan)));
}

function checksPerSecond(comparison: Comparison): number {
  return medianSample(comparison.get(BUSY) ?? []).requestsPerSecond;
}

/** What makes one server faster than the other divides the ratio of one turn, and multiplies that of the next. */
function geometricMean(ratios: number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

type Clients = { stop(): void };

/** Each sends a new request when its wait ends. They are spread over the feeds of all guilds. */
function startClients(url: string, guilds: number): Clients {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let isOver = false;
  const wait = (client: number): void => {
    if (isOver) return;
    const headers = {
      authorization: `Bearer ${keyOf(client % guilds)}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '198.51.100.1',
    };
    const request = get(`${url}/v7/guild/feed?wait=30`, { agent, headers }, (response) => {
      response.resume().once('end', () => wait(client));
    });
    // The only failure is being stopped.
    request.once('error', () => undefined);
  };
  for (let client = 0; client < CLIENTS; client += 1) setTimeout(wait, client * SPREAD_MS, client);
  return {
    stop: () => {
      isOver = true;
      agent.destroy();
    },
  };
}
