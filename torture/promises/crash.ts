import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { castVote, inParallel, newClient } from '../lib/client.ts';
import { newUserId, openPassportOffice, type PassportOffice } from '../lib/passports.ts';
import { type RunningServer, runVotary, startServer } from '../lib/processes.ts';
import { Findings, type Trial, type TrialResult, type TrialWorld } from '../lib/promise.ts';
import { seeded } from '../lib/random.ts';
import { type Receiver, startReceiver } from '../lib/receiver.ts';
import { addGuild, GUILD, type Kind, makeSite, type Site } from '../lib/site.ts';
import { doubledUsers, readVotes } from '../lib/votes.ts';

const WORKERS = 16;
/** Longer than a dead worker's claim on a delivery lasts. */
const DRAIN_MS = 45_000;

export const crashTrials: Trial[] = (['sqlite', 'postgres'] as const).map((kind) => ({
  name: `crash-${kind}`,
  promise: `A vote that was accepted survives SIGKILL on ${kind}, counts once an hour, and is told to webhooks.`,
  run: (world) => crash(kind, world),
}));

type Casting = { accepted: Set<string>; unanswered: Set<string> };

async function crash(kind: Kind, { scale, say }: TrialWorld): Promise<TrialResult> {
  const findings = new Findings();
  const site = await makeSite(kind);
  const office = await openPassportOffice(site.secrets);
  const receiver = await startReceiver();
  const random = seeded(6);
  const casting: Casting = { accepted: new Set(), unanswered: new Set() };
  try {
    await addGuild(site);
    await runVotary(site.env, 'webhook', 'add', GUILD, receiver.url);
    for (let round = 1; round <= scale.crashRounds; round += 1) {
      const server = await startServer(site.env);
      await castUntilKilled(server, office, casting, random() * 500);
      checkFile(site, findings);
      if (round % 10 === 0) say(`${kind}: round ${round}, ${casting.accepted.size} votes accepted`);
    }
    return await judge(site, receiver, casting, findings, scale.isQuick ? 0 : DRAIN_MS, scale.crashRounds);
  } finally {
    await office.close();
    await receiver.close();
    await site.remove();
  }
}

/**
 * Votes of new people, of people who never learned whether theirs counted, and of people who have voted already,
 * until the server dies: so long after the first vote was accepted.
 */
async function castUntilKilled(
  server: RunningServer,
  office: PassportOffice,
  { accepted, unanswered }: Casting,
  lifeMs: number,
): Promise<void> {
  const client = newClient(server.url);
  const again = [...unanswered, ...[...accepted].slice(-20)];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let isOver = false;
  const casts = inParallel(
    WORKERS,
    () => isOver,
    async () => {
      const userId = again.pop() ?? newUserId();
      if (!accepted.has(userId)) unanswered.add(userId);
      const passport = await office.issue(userId);
      const answer = await castVote(client, GUILD, passport).catch(() => undefined);
      if (answer?.status !== 303) {
        isOver = true;
        return begin();
      }
      accepted.add(userId);
      unanswered.delete(userId);
      begin();
    },
  );
  await begun;
  await pause(lifeMs);
  await server.kill();
  isOver = true;
  client.close();
  await casts;
}

function checkFile({ database }: Site, findings: Findings): void {
  if (database.kind !== 'sqlite') return;
  const db = new Database(database.path);
  const state = db.pragma('integrity_check', { simple: true });
  db.close();
  findings.expect(state === 'ok', `integrity_check: ${String(state)}`);
}

async function judge(
  site: Site,
  receiver: Receiver,
  { accepted, unanswered }: Casting,
  findings: Findings,
  drainMs: number,
  rounds: number,
): Promise<TrialResult> {
  const votes = await readVotes(site);
  const server = await startServer(site.env);
  const untold = () => [...votes.keys()].filter((userId) => !receiver.users.has(userId)).length;
  for (const start = Date.now(); untold() > 0 && Date.now() - start < drainMs; ) await pause(200);
  findings.expect((await server.stop()) === 0, 'the last server did not stop with exit code 0');

  const lost = [...accepted].filter((userId) => !votes.has(userId)).length;
  const doubled = doubledUsers(votes).length;
  findings.expect(lost === 0, `${lost} accepted votes were lost`);
  findings.expect(doubled === 0, `${doubled} users have two votes within an hour`);
  findings.expect(accepted.size >= rounds, `only ${accepted.size} votes were accepted: nothing was tried`);
  if (drainMs > 0) findings.expect(untold() === 0, `${untold()} votes were never told to the webhook`);
  return {
    broken: findings.broken,
    counts: {
      rounds,
      accepted: accepted.size,
      unanswered: unanswered.size,
      kept: [...votes.values()].flat().length,
      lost,
      doubled,
      webhooks: receiver.deliveries(),
      untold: drainMs > 0 ? untold() : 'not waited for',
    },
  };
}
