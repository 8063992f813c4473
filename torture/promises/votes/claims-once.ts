import { setTimeout as pause } from 'node:timers/promises';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import type { Vote } from '../../../src/domain/votes/vote.ts';
import { inParallel } from '../../lib/client.ts';
import { Findings, type Scale, type Trial, type TrialResult } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import { newUserId } from '../../lib/sessions.ts';
import { addGuild, GUILD, makeSite, type Site } from '../../lib/site.ts';
import { type Fleet, openFleet } from './fleet.ts';
import { pick, withProcesses } from './race.ts';

const WORKERS = 24;
const VOTES_PER_USER = 20;
const CONSUMERS = ['default', 'bot'];
const consumerOf = (i: number) => pick(CONSUMERS, i);
export const UNLIMITED = { VOTARY_RATE_LIMIT: '1000000', VOTARY_MAX_CONNECTIONS_PER_NETWORK: '0' };

export const claimsOnceTrial: Trial = {
  name: 'claims-once',
  promise:
    'A vote is claimed once by each of two consumers, by whichever of four processes on PostgreSQL; after SIGKILL no acknowledged claim is lost, and a retry with the same Idempotency-Key returns the same body.',
  extraSeconds: () => 120,
  async run({ scale, say }) {
    const findings = new Findings();
    const atOnce = await claimOneVote(scale, findings);
    say(`${atOnce.requests} claims of one vote at once: ${atOnce.claimed} got it`);
    const killed = await claimUnderKills(scale, findings);
    return { broken: findings.broken, counts: { ...atOnce, ...killed } };
  },
};

async function claimOneVote({ raceRequests: requests, processes }: Scale, findings: Findings) {
  const site = await makeSite('postgres');
  try {
    const headers = { 'x-api-token': await addGuild(site) };
    const [vote] = await addVotes(site, 1, 1);
    const path = (i: number) => `/v7/guild/claims?discord_id=${vote?.userId}&consumer=${consumerOf(i)}`;
    const env = { ...site.env, ...UNLIMITED };
    const answers = await withProcesses({ env, findings, atOnce: requests, processes }, (clients) =>
      Promise.all(
        Array.from({ length: requests }, (_, i) =>
          pick(clients, i).call(path(Math.floor(i / processes)), { method: 'POST', headers }),
        ),
      ),
    );
    const claimed = answers.filter(({ text }) => text.includes('"claimed":true'));
    const failed = answers.filter(({ status }) => status !== 200).length;
    for (const consumer of CONSUMERS) {
      const own = claimed.filter(({ text }) => JSON.parse(text).consumer === consumer).length;
      findings.expect(own === 1, `${own} requests of ${consumer} claimed the same vote`);
    }
    findings.expect(failed === 0, `${failed} claims were not answered with 200`);
    return { requests, claimed: claimed.length };
  } finally {
    await site.remove();
  }
}

/** What clients received: the body for each Idempotency-Key, and who claimed which vote. */
class Acknowledged {
  readonly #bodies = new Map<string, string>();
  readonly votes = new Map<string, string>();
  doubled = 0;
  changed = 0;

  note(key: string, body: string): void {
    const earlier = this.#bodies.get(key);
    if (earlier !== undefined && earlier !== body) this.changed += 1;
    this.#bodies.set(key, body);
    const { vote, consumer } = JSON.parse(body);
    if (!vote) return;
    const id = `${vote.vote_id} ${consumer}`;
    if ((this.votes.get(id) ?? key) !== key) this.doubled += 1;
    this.votes.set(id, key);
  }
}

async function claimUnderKills(scale: Scale, findings: Findings): Promise<TrialResult['counts']> {
  const site = await makeSite('postgres');
  const acknowledged = new Acknowledged();
  const counts = { kills: 0, answers: 0, retried: 0, refused: 0 };
  try {
    const headers = { 'x-api-token': await addGuild(site) };
    const votes = await addVotes(site, scale.claimUsers, VOTES_PER_USER);
    const fleet = await openFleet({ ...site.env, ...UNLIMITED }, scale.processes);
    const users = [...new Set(votes.map(({ userId }) => userId))];
    const claims = startClaiming(fleet, users, headers, acknowledged, counts);
    const random = seeded(12);
    for (; counts.kills < scale.claimKills; counts.kills += 1) {
      await pause(random() * 300);
      await fleet.replaceOne(counts.kills);
    }
    await claims.end();
    await fleet.stop(findings);
    const stored = await countClaimed(site, votes);
    const lost = acknowledged.votes.size - stored;
    findings.expect(lost === 0, `${acknowledged.votes.size} claims were acknowledged, ${stored} are stored`);
    findings.expect(acknowledged.doubled === 0, `${acknowledged.doubled} votes were claimed twice`);
    findings.expect(acknowledged.changed === 0, `${acknowledged.changed} retries returned another body`);
    findings.expect(counts.refused === 0, `${counts.refused} claims were not answered with 200`);
    findings.expect(acknowledged.votes.size > 0, 'no vote was claimed');
    return { ...counts, claims: acknowledged.votes.size, lost, doubled: acknowledged.doubled };
  } finally {
    await site.remove();
  }
}

/** Each claim has its own key, is repeated until a process responds, and then once more at another process. */
function startClaiming(
  fleet: Fleet,
  users: readonly string[],
  headers: Record<string, string>,
  acknowledged: Acknowledged,
  counts: { answers: number; retried: number; refused: number },
) {
  let isOver = false;
  let made = 0;
  const claim = async (key: string, userId: string, consumer: string): Promise<void> => {
    const call = { method: 'POST', headers: { ...headers, 'idempotency-key': key } };
    const path = `/v7/guild/claims?discord_id=${userId}&consumer=${consumer}`;
    const { status, text, tries } = await fleet.ask(path, call);
    counts.answers += 1;
    counts.retried += Number(tries > 1);
    if (status === 200) acknowledged.note(key, text);
    else counts.refused += 1;
  };
  const work = inParallel(
    WORKERS,
    () => isOver,
    async () => {
      made += 1;
      const key = `claim-${made}`;
      const userId = pick(users, made);
      const consumer = consumerOf(Math.floor(made / users.length));
      await claim(key, userId, consumer);
      await claim(key, userId, consumer);
    },
  );
  return {
    end: async () => {
      isOver = true;
      await work;
    },
  };
}

/** Votes of the last day, a bit more than an hour apart for each user. */
export async function addVotes(site: Site, users: number, each: number): Promise<Vote[]> {
  const now = Date.now();
  const votes = Array.from({ length: users }, newUserId).flatMap((userId) =>
    Array.from({ length: each }, (_, i) => ({
      guildId: GUILD,
      userId,
      castAt: now - i * (HOUR_MS + MINUTE_MS) - MINUTE_MS,
      externalId: null,
      isDoubled: false,
    })),
  );
  await site.withStore((store) =>
    store.votes.import(
      (async function* () {
        yield votes;
      })(),
      now,
    ),
  );
  return votes;
}

async function countClaimed(site: Site, votes: readonly Vote[]): Promise<number> {
  const times = await site.withStore((store) => store.claims.claimTimes(GUILD, votes));
  return times.flatMap(({ claimedAt, claims }) => [
    ...(claimedAt === null ? [] : [claimedAt]),
    ...Object.values(claims),
  ]).length;
}
