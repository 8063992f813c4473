import { setTimeout as pause } from 'node:timers/promises';
import { newCrowd, type Voting } from '../../lib/crowd.ts';
import { Findings, type Trial, type TrialContext, type TrialResult } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import { openSessionIssuer } from '../../lib/sessions.ts';
import { addGuild, makeSite, readVotes } from '../../lib/site.ts';
import { expectAllKept } from '../../lib/voting-scene.ts';
import { type Fleet, openFleet } from './fleet.ts';

const READERS = 4;
const networkOf = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

/** Votes from one network wait for each other, which would hide a feed that depends on this: each voter has its own. */
export const throughProxy = (userId = '0') => ({
  'x-forwarded-proto': 'https',
  'x-forwarded-for': networkOf(Number(userId.slice(-7))),
});

export const THROUGH_PROXY = {
  VOTARY_TRUSTED_PROXIES: '127.0.0.1',
  VOTARY_RATE_LIMIT: '1000000',
  VOTARY_MAX_CONNECTIONS_PER_NETWORK: '0',
};

export const feedCompleteTrial: Trial = {
  name: 'feed-complete',
  promise:
    'Following the cursors of the feed returns every accepted vote exactly once, while processes on PostgreSQL accept votes at the same time and are killed.',
  run: feedComplete,
  extraSeconds: () => 120,
};

async function feedComplete({ scale, say }: TrialContext): Promise<TrialResult> {
  const findings = new Findings();
  const site = await makeSite('postgres');
  const issuer = await openSessionIssuer(site.secrets);
  const crowd = newCrowd(issuer, throughProxy);
  try {
    const headers = { 'x-api-token': await addGuild(site), ...throughProxy() };
    const fleet = await openFleet({ ...site.env, ...THROUGH_PROXY }, scale.processes);
    const readers = await Promise.all(
      Array.from({ length: READERS }, (_, i) => startReader(fleet, headers, i)),
    );
    const votings = fleet.members().map(({ server }) => crowd.startVoting(server.url));
    await Promise.all(votings.map(({ begun }) => begun));
    const random = seeded(12);
    for (let kill = 0; kill < scale.feedKills; kill += 1) {
      await pause(200 + random() * 500);
      const ended = votings[kill % votings.length];
      const { server } = await fleet.replaceOne(kill);
      await endVoting(ended, findings);
      const voting = crowd.startVoting(server.url);
      votings[kill % votings.length] = voting;
      await voting.begun;
      if (kill % 10 === 9) say(`${kill + 1} kills, ${readers[0]?.seen.length} votes read`);
    }
    await pause(500);
    for (const voting of votings) await endVoting(voting, findings);
    // A vote whose voter has disconnected may still be written. After this time, none is.
    await Promise.all(votings.map((_, index) => fleet.replaceOne(index, 'stop')));
    await Promise.all(readers.map((reader) => reader.end()));
    await fleet.stop(findings);
    const votes = await readVotes(site);
    crowd.compare(votes);
    const tally = crowd.tally();
    expectAllKept(tally, findings);
    const kept = [...votes.values()].flat().length;
    findings.expect(kept > 0, 'no vote was accepted');
    for (const { seen } of readers) judge(seen, kept, findings);
    const counts = { kills: scale.feedKills, readers: READERS, votes: kept };
    return {
      broken: findings.broken,
      counts: { ...counts, read: readers.map(({ seen }) => seen.length).join(' ') },
    };
  } finally {
    await issuer.close();
    await site.remove();
  }
}

function judge(seen: readonly string[], kept: number, findings: Findings): void {
  const different = new Set(seen).size;
  findings.expect(different === seen.length, `${seen.length - different} votes came twice`);
  findings.expect(different === kept, `${kept} votes were kept, ${different} were in the feed`);
}

export async function endVoting(voting: Voting | undefined, findings: Findings): Promise<void> {
  const { 303: _accepted, 0: _cutOff, ...others } = (await voting?.end()) ?? {};
  findings.expect(Object.keys(others).length === 0, `votes were answered ${JSON.stringify(others)}`);
}

type Reader = { seen: readonly string[]; end(): Promise<void> };

/** Follows the cursor from now on, at any process; every second reader waits for votes. */
async function startReader(fleet: Fleet, headers: Record<string, string>, index: number): Promise<Reader> {
  const seen: string[] = [];
  let isOver = false;
  const read = async (query: string) => {
    const { status, text } = await fleet.ask(`/v7/guild/feed?${query}`, { headers });
    if (status !== 200) throw new Error(`the feed answered ${status}: ${text}`);
    return JSON.parse(text);
  };
  const wait = index % 2 === 0 ? 0 : 2;
  const start = await read('');
  const work = (async () => {
    for (let cursor: string = start.next_cursor; ; ) {
      // Checked before the page is read: a page requested after the end of voting is the last one if it is empty.
      const isLast = isOver;
      const page = await read(`cursor=${cursor}&limit=${20 + index}&wait=${isLast ? 0 : wait}`);
      cursor = page.next_cursor;
      seen.push(...page.votes.map((vote: { vote_id: string }) => vote.vote_id));
      if (isLast && page.votes.length === 0) return;
      if (page.votes.length === 0) await pause(20);
    }
  })();
  return {
    seen,
    end: async () => {
      isOver = true;
      await work;
    },
  };
}
