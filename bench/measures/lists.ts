/** Lists: a page of 1000 compared with the raw query, and a page of 100 by guild size. */
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { PAGES, type Page } from '../load/requests.ts';
import { type ServerProcess, startServer, startVotary } from '../servers/start.ts';
import { captureAnswer } from './answer-bytes.ts';
import { type Comparison, compare, compareWarm, medianSample, ratio } from './compare.ts';
import { VOTARY } from './vote-check.ts';

export const RAW_LIST = 'raw .all() and JSON.stringify';

const WARM_UP_PAGES = 200;

/** A pause of the machine affects one of many rounds. */
const MORE_ROUNDS = 4;
const SHORTER = 10;

export type Growth = {
  database: 'SQLite' | 'PostgreSQL';
  page: Page;
  /** Milliseconds for one page, by the number of votes in the guild's month. */
  times: { votes: number; ms: number }[];
  /** The time on the longest list divided by that on the shortest. */
  growth: number;
};

export type ListFigures = { thousands: Comparison; growth: Growth[] };

export async function measureLists(bench: Bench, everySize: boolean): Promise<ListFigures> {
  const { data } = bench;
  const [listsPath, listsUrl] = [await data.listsFile(), await data.listsDatabase()];
  const [sqlite, postgres] = await Promise.all([
    startVotary(data.folder, 'votary-lists', { database: `sqlite:${listsPath}`, transport: 'http' }),
    startVotary(data.folder, 'votary-lists-postgres', { database: listsUrl, transport: 'http' }),
  ]);
  try {
    const thousands = await compareThousands(bench, sqlite, listsPath);
    const growth: Growth[] = [];
    for (const page of PAGES) {
      growth.push(await measureGrowth(bench, 'SQLite', sqlite, page, everySize));
      growth.push(await measureGrowth(bench, 'PostgreSQL', postgres, page, everySize));
    }
    return { thousands, growth };
  } finally {
    await Promise.all([sqlite.stop(), postgres.stop()]);
  }
}

async function compareThousands(
  { data, load, plan }: Bench,
  votary: ServerProcess,
  listsPath: string,
): Promise<Comparison> {
  const { thousands, rawThousands } = data.requests;
  const { headers } = await captureAnswer(votary.url, thousands);
  const raw = await startServer(
    'peers/raw-list.ts',
    { path: listsPath, headers },
    join(data.folder, 'raw-list.log'),
  );
  try {
    const contenders = [
      { name: VOTARY, server: votary, requestsFile: thousands },
      { name: RAW_LIST, server: raw, requestsFile: rawThousands },
    ];
    // A page has a thousand entries, so few requests do the work of many vote checks.
    const warmUp = { ...plan.warmUp, requests: plan.warmUp.requests / 30 };
    return await compare(load, contenders, { ...plan, warmUp });
  } finally {
    await raw.stop();
  }
}

/** With one connection, the time between two responses is the time of a page. */
async function measureGrowth(
  { data, load, plan }: Bench,
  database: Growth['database'],
  server: ServerProcess,
  page: Page,
  everySize: boolean,
): Promise<Growth> {
  const { shape } = data;
  const lists = database === 'SQLite' ? shape.lists : shape.lists.slice(0, shape.postgresLists);
  const contenders = data.requests.pages[page]
    .slice(0, lists.length)
    .map((requestsFile, list) => ({ name: String(lists[list]), server, requestsFile }))
    .filter((_, list) => everySize || list === 0 || list === lists.length - 1);
  const connections = 1;
  // Several times the number of pages in a file, so that none of them comes from the disk.
  for (const { requestsFile } of contenders) {
    const { seconds } = plan.warmUp;
    await load.run({ url: server.url, requestsFile, connections, seconds, requests: WARM_UP_PAGES });
  }
  const comparison = await compareWarm(load, contenders, {
    rounds: plan.rounds * MORE_ROUNDS,
    connections,
    seconds: plan.seconds / SHORTER,
  });
  const times = [...comparison].map(([votes, samples]) => ({
    votes: Number(votes),
    ms: 1000 / medianSample(samples).requestsPerSecond,
  }));
  return { database, page, times, growth: ratio(comparison, String(lists[0]), String(lists.at(-1))) };
}
