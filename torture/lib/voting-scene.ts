/** A guild with a crowd of voters and a webhook, for servers that are killed or stopped. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Crowd, newCrowd, type Tally } from './crowd.ts';
import { type RunningServer, startDemoServer } from './processes.ts';
import type { Findings } from './promise.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { openSessionIssuer } from './sessions.ts';
import { addEndpoint, addGuild, checkIntegrity, type Kind, makeSite, readVotes, type Site } from './site.ts';

export type VotingScene = { site: Site; crowd: Crowd; receiver: Receiver; close(): Promise<void> };

export async function openVotingScene(kind: Kind): Promise<VotingScene> {
  const site = await makeSite(kind);
  const issuer = await openSessionIssuer(site.secrets, { isDemo: true });
  const receiver = await startReceiver();
  await addGuild(site);
  await addEndpoint(site, receiver.url);
  return {
    site,
    crowd: newCrowd(issuer),
    receiver,
    close: async () => {
      await issuer.close();
      await receiver.close();
      await site.remove();
    },
  };
}

/**
 * Starts the service on what the last one left behind, and only then reads the database, so that nothing has been
 * repaired before. Every vote is compared before anyone can vote again.
 */
export async function startChecked({ site, crowd }: VotingScene, findings: Findings): Promise<RunningServer> {
  const server = await startDemoServer(site.env);
  checkIntegrity(site, findings);
  crowd.compare(await readVotes(site));
  return server;
}

export function expectAllKept({ lost, doubled }: Pick<Tally, 'lost' | 'doubled'>, findings: Findings): void {
  findings.expect(lost === 0, `${lost} accepted votes were lost`);
  findings.expect(doubled === 0, `${doubled} users have two votes within an hour`);
}

/** The number of votes that the webhook did not receive within this time. A server must be running. */
export async function countUntold({ site, receiver }: VotingScene, patienceMs: number): Promise<number> {
  const voters = [...(await readVotes(site)).keys()];
  const untold = () => voters.filter((userId) => !receiver.users.has(userId)).length;
  for (const start = Date.now(); untold() > 0 && Date.now() - start < patienceMs; ) await pause(200);
  return untold();
}
