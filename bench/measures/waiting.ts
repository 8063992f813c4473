/** What clients that wait at the feed cost: memory, and vote checks per second compared with the idle service. */
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { keyOf } from '../data-sets/keys.ts';
import { median } from './compare.ts';
import { type Bench, startVotary } from './vote-check.ts';

export type WaitingFigures = {
  clients: number;
  /** Vote checks per second with waiting clients divided by those without. */
  ratio: number;
  checksPerSecond: number;
  /** Resident memory with waiting clients minus that without, after the same load. */
  rssMb: number;
};

const CLIENTS = 1000;
const SETTLE_MS = 500;

export async function measureWaiting({ data, load, plan }: Bench): Promise<WaitingFigures> {
  const server = await startVotary(data, 'votary-waiting', `sqlite:${data.spreadPath}`, 'http');
  const requestsFile = data.requests.plainChecks;
  const { url } = server;
  const { connections, seconds } = plan;
  const rate = async () => {
    const result = await load.run({ url, requestsFile, connections, seconds });
    return result.requests / result.seconds;
  };
  try {
    await load.run({ url, requestsFile, connections, seconds: plan.warmUp.seconds });
    const rounds: { idle: number; waiting: number; rssMb: number }[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      const idle = await rate();
      const { rssMb: before } = await server.usage();
      const clients = startClients(url, data.shape.guilds);
      await pause(SETTLE_MS);
      const waiting = await rate();
      const { rssMb } = await server.usage();
      clients.stop();
      await pause(SETTLE_MS);
      rounds.push({ idle, waiting, rssMb: rssMb - before });
    }
    return {
      clients: CLIENTS,
      ratio: median(rounds.map(({ idle, waiting }) => waiting / idle)),
      checksPerSecond: median(rounds.map(({ waiting }) => waiting)),
      // Only the first round starts without memory left over from waiting clients.
      rssMb: Math.max(...rounds.map((round) => round.rssMb)),
    };
  } finally {
    await server.stop();
  }
}

/** Each asks again when its time is up. They follow the feeds of all guilds in turn. */
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
    // The only failure is that of being stopped.
    request.once('error', () => undefined);
  };
  for (let client = 0; client < CLIENTS; client += 1) wait(client);
  return {
    stop: () => {
      isOver = true;
      agent.destroy();
    },
  };
}
