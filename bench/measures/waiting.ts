/** The cost of clients that wait at the feed: memory, and vote checks per second compared with an idle service. */
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { keyOf } from '../data-sets/keys.ts';
import { startVotary } from '../servers/start.ts';
import { sample } from './sample.ts';
import { median } from './statistics.ts';
import { warmUp } from './warm-up.ts';

export type WaitingFigures = {
  clients: number;
  /** Vote checks per second with waiting clients divided by those without. */
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

/** The clients come and go several times, so that a machine that changes its speed does so in both states. */
const TURNS = 6;
/** Half as many rounds as in the plan, and half as long, in each state of a turn. */
const PART = 0.5;

/** One server: two processes of the same program differ by up to 4 %. */
export async function measureWaiting({ data, load, plan }: Bench): Promise<WaitingFigures> {
  const database = `sqlite:${await data.spreadFile()}`;
  const server = await startVotary(data.folder, 'votary-waiting', { database, transport: 'http' });
  const requestsFile = data.requests.plainChecks;
  const { connections } = plan;
  const measureRate = async (): Promise<number> => {
    const rates: number[] = [];
    for (let round = 0; round < plan.rounds * PART; round += 1) {
      const options = { connections, seconds: plan.seconds * PART };
      rates.push((await sample(load, { server, requestsFile }, options)).requestsPerSecond);
    }
    return median(rates);
  };
  try {
    await warmUp(load, { name: 'no client waits', server, requestsFile }, plan);
    const turns: { ratio: number; waiting: number; rssMb: number }[] = [];
    let idle = await measureRate();
    for (let turn = 0; turn < TURNS; turn += 1) {
      const before = await server.usage();
      const clients = startClients(server.url, data.shape.guilds);
      await pause(CLIENTS * SPREAD_MS + SETTLE_MS);
      const waiting = await measureRate();
      const { rssMb } = await server.usage();
      clients.stop();
      await pause(SETTLE_MS);
      const idleAfter = await measureRate();
      // Compared with the rates before and after, so that a machine that changes its speed meanwhile favours neither.
      turns.push({ ratio: (2 * waiting) / (idle + idleAfter), waiting, rssMb: rssMb - before.rssMb });
      idle = idleAfter;
    }
    return {
      clients: CLIENTS,
      ratio: median(turns.map((turn) => turn.ratio)),
      checksPerSecond: median(turns.map((turn) => turn.waiting)),
      // The memory of the first clients is used again by the next ones.
      rssMb: Math.max(...turns.map((turn) => turn.rssMb)),
    };
  } finally {
    await server.stop();
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
