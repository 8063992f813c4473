/**
 * Servers of two consumers that reward votes as the guides say: claim with a stored key, grant the reward or release the claim, then
 * forget the key. They crash at every step, responses are lost, and old releases arrive again much later.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Vote } from '../../../src/domain/votes/vote.ts';
import { voteId } from '../../../src/domain/votes/vote.ts';
import { inParallel } from '../../lib/client.ts';
import { Findings, type Scale, type Trial, type TrialResult } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import { addGuild, type Kind, makeSite } from '../../lib/site.ts';
import { addVotes, UNLIMITED } from './claims-once.ts';
import { type Fleet, openFleet } from './fleet.ts';
import { pick } from './race.ts';

/** Each rewards every vote once: a game network, and a bot. */
const CONSUMERS = ['survival', 'bot'];
const SERVERS_PER_CONSUMER = 2;
const WORKERS_PER_SERVER = 4;
const VOTES_PER_USER = 5;
/** How often something goes wrong, of all times it could. */
const LOST_RESPONSE = 0.2;
const CRASH = 0.1;
const FAILED_REWARD = 0.4;
const LATE_RELEASE = 0.2;
/** Votes that are not rewarded by then will never be. */
const PATIENCE_MS = 90_000;
const PER_REQUEST = 50;

export const rewardsOnceTrial: Trial = {
  name: 'rewards-once',
  promise:
    'Two servers of each of two consumers claim, reward and release votes, crash in between and lose responses: every vote is rewarded exactly once per consumer, while processes are killed, on both databases.',
  extraSeconds: () => 240,
  async run({ scale, say }) {
    const findings = new Findings();
    const counts: TrialResult['counts'] = {};
    for (const kind of ['sqlite', 'postgres'] as const) {
      const tally = await rewardAll(kind, scale, findings);
      say(`${kind}: ${JSON.stringify(tally)}`);
      counts[kind] = tally;
    }
    return { broken: findings.broken, counts };
  },
};

async function rewardAll(kind: Kind, scale: Scale, findings: Findings): Promise<Record<string, number>> {
  const site = await makeSite(kind);
  try {
    const headers = { 'x-api-token': await addGuild(site) };
    const votes = await addVotes(site, scale.rewardedUsers, VOTES_PER_USER);
    // Only one process can serve a SQLite file; it is replaced as often.
    const fleet = await openFleet({ ...site.env, ...UNLIMITED }, kind === 'sqlite' ? 1 : scale.processes);
    const games = CONSUMERS.map((consumer) => new Game(fleet, headers, votes, consumer, findings));
    const playing = Promise.all(games.map((game) => game.play()));
    const random = seeded(23);
    let kills = 0;
    for (; kills < scale.claimKills && !games.every((game) => game.isOver()); kills += 1) {
      await pause(random() * 300);
      await fleet.replaceOne(kills);
    }
    await playing;
    for (const game of games) await game.settle();
    await fleet.stop(findings);
    return { votes: votes.length, kills, ...sum(games.map((game) => game.tally())) };
  } finally {
    await site.remove();
  }
}

function sum(tallies: readonly Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const tally of tallies)
    for (const [name, count] of Object.entries(tally)) total[name] = (total[name] ?? 0) + count;
  return total;
}

type ClaimedVote = { vote_id: string; claimed_at: string };

/** The servers of one consumer, and what they have rewarded. */
class Game {
  readonly #fleet: Fleet;
  readonly #headers: Record<string, string>;
  readonly #users: readonly string[];
  readonly #consumer: string;
  readonly #findings: Findings;
  readonly #random = seeded(29);
  readonly #startedAt = performance.now();
  /** Who granted the reward of a vote: a server and its key. */
  readonly #granted = new Map<string, string>();
  readonly #expected: ReadonlySet<string>;
  /** Claims that were released: repeating their release must change nothing. */
  readonly #released: ClaimedVote[] = [];
  readonly #counts = { claims: 0, releases: 0, lost_responses: 0, crashes: 0, late_releases: 0, doubled: 0 };
  #keys = 0;

  constructor(
    fleet: Fleet,
    headers: Record<string, string>,
    votes: readonly Vote[],
    consumer: string,
    findings: Findings,
  ) {
    this.#fleet = fleet;
    this.#consumer = consumer;
    this.#headers = headers;
    this.#users = [...new Set(votes.map(({ userId }) => userId))];
    this.#expected = new Set(votes.map(voteId));
    this.#findings = findings;
  }

  isOver(): boolean {
    return this.#granted.size === this.#expected.size || performance.now() - this.#startedAt > PATIENCE_MS;
  }

  async play(): Promise<void> {
    let joined = 0;
    const serve = (server: number) =>
      inParallel(
        WORKERS_PER_SERVER,
        () => this.isOver(),
        async () => {
          joined += 1;
          await this.#reward(server, pick(this.#users, joined));
          if (this.#happens(LATE_RELEASE)) await this.#repeatRelease();
        },
      );
    await Promise.all(Array.from({ length: SERVERS_PER_CONSUMER }, (_, server) => serve(server)));
  }

  /** All old releases once more; afterwards nothing may be claimable, and every vote must have been rewarded. */
  async settle(): Promise<void> {
    for (const claim of this.#released) await this.#release(claim, false);
    let claimable = 0;
    for (let start = 0; start < this.#users.length; start += PER_REQUEST) {
      const ids = this.#users.slice(start, start + PER_REQUEST).map((id) => `discord_id=${id}`);
      const query = `consumer=${this.#consumer}&${ids.join('&')}`;
      const { results } = await this.#call('GET', `/v7/guild/claimable?${query}`);
      for (const result of results) claimable += result.claimable;
    }
    const never = [...this.#expected].filter((id) => !this.#granted.has(id)).length;
    this.#findings.expect(never === 0, `${never} votes were never rewarded by ${this.#consumer}`);
    this.#findings.expect(
      this.#counts.doubled === 0,
      `${this.#counts.doubled} votes were rewarded twice by ${this.#consumer}`,
    );
    this.#findings.expect(claimable === 0, `${claimable} votes are claimable after they were rewarded`);
    this.#findings.expect(this.#counts.releases > 0, 'nothing was released');
  }

  tally(): Record<string, number> {
    return { rewarded: this.#granted.size, ...this.#counts };
  }

  /** A player joins. The key is on disk from before the claim until after the reward or the release. */
  async #reward(server: number, userId: string): Promise<void> {
    this.#keys += 1;
    const key = `${this.#consumer}-${server}-${this.#keys}`;
    for (;;) {
      const { claimed, vote } = await this.#claim(userId, key);
      // The reward was granted before the crash: a server records the vote together with the reward.
      if (!claimed || this.#granted.get(vote.vote_id) === key) return;
      if (this.#crashes()) continue;
      if (this.#happens(FAILED_REWARD)) await this.#release(vote, true);
      else this.#grant(vote, key);
      if (!this.#crashes()) return;
    }
  }

  #grant({ vote_id }: ClaimedVote, key: string): void {
    if (this.#granted.has(vote_id)) this.#counts.doubled += 1;
    this.#granted.set(vote_id, key);
  }

  async #claim(userId: string, key: string): Promise<{ claimed: boolean; vote: ClaimedVote }> {
    this.#counts.claims += 1;
    const path = `/v7/guild/claims?discord_id=${userId}&consumer=${this.#consumer}`;
    return this.#call('POST', path, { 'idempotency-key': key });
  }

  async #release(claim: ClaimedVote, isFirst: boolean): Promise<void> {
    const path = `/v7/guild/claims/${claim.vote_id}?claimed_at=${claim.claimed_at}&consumer=${this.#consumer}`;
    const { released } = await this.#call('DELETE', path);
    if (isFirst) {
      this.#counts.releases += 1;
      this.#released.push(claim);
    } else this.#findings.expect(!released, `a late release took the claim of ${claim.vote_id} away`);
  }

  async #repeatRelease(): Promise<void> {
    if (this.#released.length === 0) return;
    this.#counts.late_releases += 1;
    await this.#release(pick(this.#released, Math.floor(this.#random() * this.#released.length)), false);
  }

  /** Asked again when the response is lost, like any client. */
  async #call(method: string, path: string, headers: Record<string, string> = {}) {
    for (;;) {
      const call = { method, headers: { ...this.#headers, ...headers } };
      const { status, text } = await this.#fleet.ask(path, call);
      if (this.#happens(LOST_RESPONSE)) {
        this.#counts.lost_responses += 1;
        continue;
      }
      if (status === 200) return JSON.parse(text);
      throw new Error(`${method} ${path} was answered ${status}: ${text}`);
    }
  }

  #crashes(): boolean {
    const isCrash = this.#happens(CRASH);
    this.#counts.crashes += Number(isCrash);
    return isCrash;
  }

  #happens(probability: number): boolean {
    return this.#random() < probability;
  }
}
