/** How long the pages take that read many communities or many votes, one request at a time, over TLS. */
import { Agent, type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { DEMO_PEOPLE } from '../../src/site/sign-in/demo-sign-in.ts';
import type { Bench } from '../bench.ts';
import { ensurePagesDatabase, ensurePagesFile, PAGES_GUILD } from '../data-sets/pages.ts';
import { guildId } from '../data-sets/shape.ts';
import { startVotary } from '../servers/start.ts';
import { median } from './statistics.ts';

export const PAGE_NAMES = ['home', 'trending', 'search', 'profile', 'overview'] as const;

type PageName = (typeof PAGE_NAMES)[number];

/** The slowest request is usually the first one, or one that read the listing again. */
export type PageTimes = Record<PageName, { medianMs: number; slowestMs: number }>;

export type PagesFigures = { sqlite: PageTimes; postgres: PageTimes };

export async function measurePages(bench: Bench): Promise<PagesFigures> {
  const { folder, shape } = bench.data;
  const path = await ensurePagesFile(folder, shape);
  const url = await ensurePagesDatabase(folder, (await bench.data.postgres()).url, shape);
  return {
    sqlite: await measureOn(bench, `sqlite:${path}`, 'votary-pages'),
    postgres: await measureOn(bench, url, 'votary-pages-postgres'),
  };
}

async function measureOn({ data, plan }: Bench, database: string, name: string): Promise<PageTimes> {
  const server = await startVotary(data.folder, name, { database, transport: 'demo' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  try {
    const cookie = await signIn(server.url, agent);
    const times = new Map<PageName, number[]>();
    const rounds = Math.ceil(20 * plan.rounds * plan.seconds);
    for (let round = 0; round < rounds; round += 1) {
      const paths = pathsOf(round % data.shape.pages.guilds);
      for (const page of PAGE_NAMES) {
        const start = performance.now();
        const answer = await send(agent, server.url + paths[page], { headers: { cookie } });
        if (answer.status !== 200) throw new Error(`${paths[page]} answered ${answer.status}`);
        times.set(page, [...(times.get(page) ?? []), performance.now() - start]);
      }
    }
    const timesOf = (page: PageName) => {
      const own = times.get(page) ?? [];
      return { medianMs: median(own), slowestMs: Math.max(...own) };
    };
    return {
      home: timesOf('home'),
      trending: timesOf('trending'),
      search: timesOf('search'),
      profile: timesOf('profile'),
      overview: timesOf('overview'),
    };
  } finally {
    agent.destroy();
    await server.stop();
  }
}

/** Every round requests another page of the list, another search and another community. */
function pathsOf(round: number): Record<PageName, string> {
  return {
    home: `/?page=${1 + (round % 2)}`,
    trending: '/?sort=trending',
    search: `/?q=community+${round}&language=en`,
    profile: `/guild/${guildId(round)}`,
    overview: `/dashboard/${PAGES_GUILD}`,
  };
}

type Answer = { status: number; body: string; cookies: string };

async function send(agent: Agent, url: string, options: RequestOptions, body = ''): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(url, { ...options, agent }, async (response) => {
    const cookies = (response.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
    resolve({ status: response.statusCode ?? 0, body: await text(response), cookies });
  });
  sent.on('error', reject).end(body);
  return promise;
}

/** Signs in as the demo user who administers a community; returns the cookie. */
async function signIn(url: string, agent: Agent): Promise<string> {
  const form = await send(agent, `${url}/sign-in`, {});
  const token = /name="_csrf" value="([^"]+)"/.exec(form.body)?.[1] ?? '';
  const fields = new URLSearchParams({ _csrf: token, person: DEMO_PEOPLE[0]?.userId ?? '', back: '/' });
  const headers = { cookie: form.cookies, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await send(agent, `${url}/sign-in`, { method: 'POST', headers }, fields.toString());
  if (answer.status !== 303) throw new Error(`the sign-in answered ${answer.status}`);
  return answer.cookies;
}
