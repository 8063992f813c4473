/** Votes of a crowd reach goals while processes are killed: each goal must be announced once, and none be left out. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Goal } from '../../../src/domain/votes/goal.ts';
import { newCrowd } from '../../lib/crowd.ts';
import { Findings, type Scale, type Trial, type TrialResult } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import { openSessionIssuer } from '../../lib/sessions.ts';
import { addGuild, GUILD, type Kind, makeSite, readVotes, type Site } from '../../lib/site.ts';
import { expectAllKept } from '../../lib/voting-scene.ts';
import { endVoting, THROUGH_PROXY, throughProxy } from './feed-complete.ts';
import { openFleet } from './fleet.ts';

/** So few that almost every group of votes reaches one. */
const PARTY: Goal = { period: 'party', target: 3 };
/** Reached within the first kills. A month, because a run at midnight has two days. */
const MONTH: Goal = { period: 'month', target: 40 };
const ENOUGH = 1_000_000;

export const goalsOnceTrial: Trial = {
  name: 'goals-once',
  promise:
    'A goal is reached exactly once, by the vote that completes it, while processes accept votes at the same time and are killed, on both databases.',
  extraSeconds: () => 240,
  async run({ scale, say }) {
    const findings = new Findings();
    const counts: TrialResult['counts'] = {};
    for (const kind of ['sqlite', 'postgres'] as const) {
      for (const goal of [PARTY, MONTH]) {
        const tally = await reachUnderKills(kind, goal, scale, findings);
        say(`${kind}, ${goal.period}: ${JSON.stringify(tally)}`);
        counts[`${kind}_${goal.period}`] = tally;
      }
    }
    return { broken: findings.broken, counts };
  },
};

async function reachUnderKills(
  kind: Kind,
  goal: Goal,
  scale: Scale,
  findings: Findings,
): Promise<Record<string, number>> {
  const site = await makeSite(kind);
  const issuer = await openSessionIssuer(site.secrets);
  const crowd = newCrowd(issuer, throughProxy);
  try {
    await addGuild(site);
    await announce(site, goal);
    // Only one process can serve a SQLite file; it is replaced as often.
    const fleet = await openFleet({ ...site.env, ...THROUGH_PROXY }, kind === 'sqlite' ? 1 : scale.processes);
    const votings = fleet.members().map(({ server }) => crowd.startVoting(server.url));
    await Promise.all(votings.map(({ begun }) => begun));
    const random = seeded(31);
    for (let kill = 0; kill < scale.feedKills; kill += 1) {
      await pause(200 + random() * 500);
      const place = kill % votings.length;
      const { server } = await fleet.replaceOne(kill);
      await endVoting(votings[place], findings);
      const voting = crowd.startVoting(server.url);
      votings[place] = voting;
      await voting.begun;
    }
    await pause(500);
    for (const voting of votings) await endVoting(voting, findings);
    await fleet.stop(findings);
    const votes = await readVotes(site);
    crowd.compare(votes);
    expectAllKept(crowd.tally(), findings);
    return {
      kills: scale.feedKills,
      ...(await judge(site, goal, [...votes.values()].flat().length, findings)),
    };
  } finally {
    await issuer.close();
    await site.remove();
  }
}

/** An endpoint that is paused keeps its events. */
async function announce(site: Site, goal: Goal): Promise<void> {
  await site.withStore(async (store) => {
    await store.goals.set(GUILD, goal, Date.now());
    const endpointId = 'ep_goals';
    await store.webhooks.addEndpoint(
      {
        ...{ guildId: GUILD, endpointId, name: null, destination: { kind: 'https' } },
        ...{ url: 'https://receiver.example/', events: ['goal_reached'], createdAt: Date.now() },
        secrets: { current: '', previous: null },
      },
      1,
    );
    await store.webhooks.setPaused(GUILD, endpointId, Date.now());
  });
}

async function judge(site: Site, goal: Goal, votes: number, findings: Findings) {
  const [events, progress] = await site.withStore(async (store) => [
    (await store.webhooks.deliveries(GUILD, Date.now(), ENOUGH)).length,
    (await store.goals.progress(GUILD, Date.now()))?.votes,
  ]);
  const isParty = goal.period === 'party';
  const expected = isParty ? Math.floor(votes / goal.target) : Number(votes >= goal.target);
  findings.expect(expected > 0, `${votes} votes reached no goal`);
  findings.expect(events === expected, `${votes} votes caused ${events} events instead of ${expected}`);
  const counted = isParty ? votes % goal.target : votes;
  findings.expect(progress === counted, `the progress is ${progress} instead of ${counted}`);
  return { votes, events };
}
