/** The cost of clients that wait at the feed: memory, and vote checks per second compared with an idle service. */
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { keyOf } from '../data-sets/keys.ts';
import { startVotary } from '../servers/start.ts';
import { compareWarm, medianSample, ratio, shortRounds } from './compare.ts';
import type { Contender } from './sample.ts';
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

const BUSY = 'with waiting clients';
const IDLE = 'without';

/** Twice as many rounds as in other comparisons, half as long. */
const SHORTER = 2;

/**
 * Two servers in turns, before and while the clients wait at one of them: two processes of the same program differ by up
 * to 4 %, in both parts alike.
 */
export async function measureWaiting({ data, load, plan }: Bench): Promise<WaitingFigures> {
  const database = `sqlite:${await data.spreadFile()}`;
  const requestsFile = data.requests.plainChecks;
  const start = async (name: string, log: string): Promise<Contender> => {
    const server = await startVotary(data.folder, log, { database, transport: 'http' });
    return { name, server, requestsFile };
  };
  const contenders = await Promise.all([start(BUSY, 'votary-waiting'), start(IDLE, 'votary-idle')]);
  const [{ server: busy }] = contenders;
  const { rounds, seconds, connections } = shortRounds(plan);
  const measure = () =>
    compareWarm(load, contenders, { rounds: rounds * SHORTER, seconds: seconds / SHORTER, connections });
  const loadBoth = (requests: number) => {
    const limits = { ...plan, warmUp: { ...plan.warmUp, requests } };
    return Promise.all(contenders.map((contender) => warmUp(load, contender, limits)));
  };
  try {
    await loadBoth(plan.warmUp.requests);
    const before = await measure();
    const { rssMb } = await busy.usage();
    const clients = startClients(busy.url, data.shape.guilds);
    await pause(CLIENTS * SPREAD_MS + SETTLE_MS);
    // What was created for the connections reaches the old generation.
    await loadBoth(plan.warmUp.requests / 2);
    const during = await measure();
    const after = await busy.usage();
    clients.stop();
    return {
      clients: CLIENTS,
      ratio: ratio(during, BUSY, IDLE) / ratio(before, BUSY, IDLE),
      checksPerSecond: medianSample(during.get(BUSY) ?? []).requestsPerSecond,
      rssMb: after.rssMb - rssMb,
    };
  } finally {
    await Promise.all(contenders.map(({ server }) => server.stop()));
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
