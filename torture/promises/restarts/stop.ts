import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import { castVote, newClient } from '../../lib/client.ts';
import { type RunningServer, startServer } from '../../lib/processes.ts';
import { Findings, type Scale, type Trial, type TrialContext } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import { newUserId, openSessionIssuer } from '../../lib/sessions.ts';
import { addGuild, GUILD, type Kind, makeSite, readVotes, type Site } from '../../lib/site.ts';
import {
  countUntold,
  expectAllKept,
  openVotingScene,
  startChecked,
  type VotingScene,
} from '../../lib/voting-scene.ts';

const IN_FLIGHT = 40;
/** Longer than a claim on a delivery lasts, although a server that stops releases its claims. */
const DRAIN_MS = 45_000;

type Stops = ReturnType<typeof noStops>;

const noStops = () => ({
  rounds: 0,
  requests: 0,
  answered: 0,
  votes: 0,
  lost: 0,
  doubled: 0,
  webhooks: 0,
  untold: 0,
});

export const stopTrial: Trial = {
  name: 'stop',
  promise:
    'On SIGTERM, every open request gets a response, every accepted vote is stored, and the exit code is 0.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const counts = noStops();
    for (const kind of ['sqlite', 'postgres'] as const) {
      for (let round = 1; round <= scale.stopRounds; round += 1) {
        note(await stopHeldUp(kind, findings), counts);
      }
      say(`${kind}, held up: ${counts.answered} of ${counts.requests} answered`);
      await stopUnderLoad(kind, scale, findings, counts);
      say(`${kind}, under load: ${counts.answered} of ${counts.requests} answered`);
    }
    const { requests, answered, lost, doubled, untold } = counts;
    findings.expect(answered === requests, `${requests - answered} requests under way were not answered`);
    findings.expect(untold === 0, `${untold} votes were never told to the webhook`);
    expectAllKept({ lost, doubled }, findings);
    return { broken: findings.broken, counts };
  },
};

/** The results of requests that were open when the signal of this round arrived. */
function note(statuses: readonly number[], counts: Stops): void {
  counts.rounds += 1;
  counts.requests += statuses.length;
  counts.answered += statuses.filter((status) => status === 303).length;
}

/** When the signal arrives, votes are being cast and webhooks sent as fast as possible. */
async function stopUnderLoad(kind: Kind, scale: Scale, findings: Findings, counts: Stops): Promise<void> {
  const scene = await openVotingScene(kind);
  const random = seeded(60);
  let underWay = 0;
  try {
    for (let round = 1; round <= scale.stopRounds; round += 1) {
      const server = await startChecked(scene, findings);
      const statuses = await stopVoting(server, scene, random() * 500, findings);
      underWay += statuses.length;
      note(statuses, counts);
    }
    const last = await startChecked(scene, findings);
    counts.untold += scale.isQuick ? 0 : await countUntold(scene, DRAIN_MS);
    findings.expect((await last.stop()) === 0, `${kind}: the exit code of the last server was not 0`);
    const { votes, lost, doubled } = scene.crowd.tally();
    counts.votes += votes;
    counts.lost += lost;
    counts.doubled += doubled;
    counts.webhooks += scene.receiver.deliveries();
    findings.expect(underWay >= scale.stopRounds, `${kind}: only ${underWay} requests were under way`);
  } finally {
    await scene.close();
  }
}

/** Time between the first response and the signal. */
async function stopVoting(
  server: RunningServer,
  { crowd }: VotingScene,
  afterMs: number,
  findings: Findings,
): Promise<number[]> {
  const voting = crowd.startVoting(server.url);
  await voting.begun;
  await pause(afterMs);
  const underWay = voting.underWay();
  const stopped = server.stop();
  const statuses = await Promise.all(underWay);
  findings.expect((await stopped) === 0, 'the exit code was not 0 under load');
  await voting.end();
  return statuses;
}

/** Another connection locks the database, so all votes are open when the signal arrives. */
async function stopHeldUp(kind: Kind, findings: Findings): Promise<number[]> {
  const site = await makeSite(kind);
  const issuer = await openSessionIssuer(site.secrets);
  try {
    await addGuild(site);
    const server = await startServer(site.env);
    const client = newClient(server.url);
    // Opened before: a connection that is still in its handshake when the signal arrives has not sent a request.
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => client.call('/healthz')));
    const people = await Promise.all(Array.from({ length: IN_FLIGHT }, () => issuer.issue(newUserId())));
    const release = await holdVotes(site);
    const votes = people.map((person) =>
      castVote(client, GUILD, person).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    await pause(1500);
    const stopped = server.stop();
    await pause(200);
    await release();
    const statuses = await Promise.all(votes);
    client.close();
    findings.expect((await stopped) === 0, `${kind}: exit code was not 0`);
    const kept = await readVotes(site);
    findings.expect(
      kept.size === statuses.filter((status) => status === 303).length,
      `${kind}: votes kept and answered differ`,
    );
    return statuses;
  } finally {
    await issuer.close();
    await site.remove();
  }
}

async function holdVotes({ database }: Site): Promise<() => Promise<void>> {
  if (database.kind === 'sqlite') {
    const db = new Database(database.path);
    db.exec('BEGIN IMMEDIATE');
    return async () => {
      db.exec('ROLLBACK');
      db.close();
    };
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE votes');
  return async () => {
    await client.query('ROLLBACK');
    await client.end();
  };
}
