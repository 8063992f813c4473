/** Lists: a page of 1000 compared with the raw query, and a page of 100 by guild size. */
import { join } from 'node:path';
import { PAGES, type Page } from '../load/requests.ts';
import { type ServerProcess, startServer } from '../servers/start.ts';
import { captureAnswer } from './answer-bytes.ts';
import { type Comparison, compare, medianSample, ratio } from './compare.ts';
import { type Bench, startVotary, VOTARY } from './vote-check.ts';

export const RAW_LIST = 'raw .all() and JSON.stringify';

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
  const [sqlite, postgres] = await Promise.all([
    startVotary(data, 'votary-lists', `sqlite:${data.listsPath}`, 'http'),
    startVotary(data, 'votary-lists-postgres', data.postgres.listsUrl, 'http'),
  ]);
  try {
    const growth: Growth[] = [];
    for (const page of PAGES) {
      growth.push(await measureGrowth(bench, 'SQLite', sqlite, page, everySize));
      growth.push(await measureGrowth(bench, 'PostgreSQL', postgres, page, everySize));
    }
    return { thousands: await compareThousands(bench, sqlite), growth };
  } finally {
    await Promise.all([sqlite.stop(), postgres.stop()]);
  }
}

async function compareThousands({ data, load, plan }: Bench, votary: ServerProcess): Promise<Comparison> {
  const { thousands, rawThousands } = data.requests;
  const { headers } = await captureAnswer(votary.url, thousands);
  const raw = await startServer(
    'peers/raw-list.ts',
    { path: data.listsPath, headers },
    join(data.folder, 'raw-list.log'),
  );
  try {
    const contenders = [
      { name: VOTARY, server: votary, requestsFile: thousands },
      { name: RAW_LIST, server: raw, requestsFile: rawThousands },
    ];
    // A page has a thousand entries, so few requests do the work of many vote checks.
    const warmUp = { requests: plan.warmUp.requests / 30, seconds: plan.warmUp.seconds / 3 };
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
  const { lists } = data.shape;
  const contenders = data.requests.pages[page]
    .map((requestsFile, list) => ({ name: String(lists[list]), server, requestsFile }))
    .filter((_, list) => everySize || list === 0 || list === lists.length - 1);
  const comparison = await compare(load, contenders, {
    ...plan,
    seconds: plan.seconds / 5,
    warmUp: { requests: 80, seconds: plan.seconds * 1.5 },
    connections: 1,
  });
  const times = [...comparison].map(([votes, samples]) => ({
    votes: Number(votes),
    ms: 1000 / medianSample(samples).requestsPerSecond,
  }));
  return { database, page, times, growth: ratio(comparison, String(lists[0]), String(lists.at(-1))) };
}
