/** The cost of clients that wait at the feed: memory, and vote checks per second compared with an idle service. */
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { keyOf } from '../data-sets/keys.ts';
import { type ServerProcess, startVotary } from '../servers/start.ts';
import { sample } from './sample.ts';
import { median } from './statistics.ts';
import { warmUp } from './warm-up.ts';

export type WaitingFigures = {
  clients: number;
  /** Vote checks per second with waiting clients divided by those without. */
  ratio: number;
  checksPerSecond: number;
  /** Resident memory with waiting clients minus that of the idle server, after the same load. */
  rssMb: number;
};

const CLIENTS = 1000;
/** A difference of a few percent needs more rounds than the other measures, which are shorter. */
const MORE_ROUNDS = 2;
const SHORTER = 2;
/** Clients connect one after the other, so that their waits do not all end at once. */
const SPREAD_MS = 2;

/** Two servers alternate under the same load, so that both run at the same speed of the machine. */
export async function measureWaiting({ data, load, plan }: Bench): Promise<WaitingFigures> {
  const database = `sqlite:${await data.spreadFile()}`;
  const [idle, waiting] = await Promise.all([
    startVotary(data.folder, 'votary-idle', { database, transport: 'http' }),
    startVotary(data.folder, 'votary-waiting', { database, transport: 'http' }),
  ]);
  const requestsFile = data.requests.plainChecks;
  const { connections } = plan;
  const seconds = plan.seconds / SHORTER;
  const rate = async (server: ServerProcess) =>
    (await sample(load, { server, requestsFile }, { connections, seconds })).requestsPerSecond;
  try {
    const clients = startClients(waiting.url, data.shape.guilds);
    await pause(CLIENTS * SPREAD_MS);
    await Promise.all([
      warmUp(load, { name: 'no client waits', server: idle, requestsFile }, plan),
      warmUp(load, { name: '1,000 clients wait', server: waiting, requestsFile }, plan),
    ]);
    const rounds: { idle: number; waiting: number }[] = [];
    for (let round = 0; round < MORE_ROUNDS * plan.rounds; round += 1) {
      rounds.push({ idle: await rate(idle), waiting: await rate(waiting) });
    }
    const [before, after] = [await idle.usage(), await waiting.usage()];
    clients.stop();
    return {
      clients: CLIENTS,
      ratio: median(rounds.map((round) => round.waiting / round.idle)),
      checksPerSecond: median(rounds.map((round) => round.waiting)),
      rssMb: after.rssMb - before.rssMb,
    };
  } finally {
    await Promise.all([idle.stop(), waiting.stop()]);
  }
}

/** Each sends a new request when its wait ends. They are spread over the feeds of all guilds. */
function startClients(url: string, guilds: number): { stop(): void } {
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
