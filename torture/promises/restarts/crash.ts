import { setTimeout as pause } from 'node:timers/promises';
import type { RunningServer } from '../../lib/processes.ts';
import { Findings, type Scale, type Trial, type TrialContext, type TrialResult } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import type { Kind } from '../../lib/site.ts';
import {
  countUntold,
  expectAllKept,
  openVotingScene,
  startChecked,
  type VotingScene,
} from '../../lib/voting-scene.ts';

/** Longer than a claim of a killed worker on a delivery lasts. */
const DRAIN_MS = 45_000;

export const crashTrials: Trial[] = (['sqlite', 'postgres'] as const).map((kind) => ({
  name: `crash-${kind}`,
  promise: `An accepted vote survives SIGKILL on ${kind}, counts once an hour, and is sent to webhooks.`,
  run: (context) => crash(kind, context),
}));

async function crash(kind: Kind, { scale, say }: TrialContext): Promise<TrialResult> {
  const findings = new Findings();
  const scene = await openVotingScene(kind);
  const random = seeded(6);
  try {
    for (let round = 1; round <= scale.crashRounds; round += 1) {
      const server = await startChecked(scene, findings);
      await voteUntilKilled(server, scene, random() * 500, findings);
      if (round % 10 === 0) say(`${kind}: round ${round}, ${JSON.stringify(scene.crowd.tally())}`);
    }
    return await judge(scene, findings, scale);
  } finally {
    await scene.close();
  }
}

/** Time after the first response. */
async function voteUntilKilled(
  server: RunningServer,
  { crowd }: VotingScene,
  lifeMs: number,
  findings: Findings,
): Promise<void> {
  const voting = crowd.startVoting(server.url);
  await voting.begun;
  await pause(lifeMs);
  await server.kill();
  const { 303: _accepted, 0: _cutOff, ...others } = await voting.end();
  findings.expect(Object.keys(others).length === 0, `votes were answered ${JSON.stringify(others)}`);
}

async function judge(scene: VotingScene, findings: Findings, scale: Scale): Promise<TrialResult> {
  const { crowd, receiver } = scene;
  const server = await startChecked(scene, findings);
  const untold = scale.isQuick ? 'not waited for' : await countUntold(scene, DRAIN_MS);
  findings.expect((await server.stop()) === 0, 'the last server did not stop with exit code 0');
  const tally = crowd.tally();
  findings.expect(tally.votes >= scale.crashRounds, `only ${tally.votes} votes were accepted`);
  expectAllKept(tally, findings);
  if (untold !== 'not waited for')
    findings.expect(untold === 0, `${untold} votes were never told to the webhook`);
  return {
    broken: findings.broken,
    counts: { rounds: scale.crashRounds, ...tally, webhooks: receiver.deliveries(), untold },
  };
}
