/** A server on a SQLite file that a trial damages, and the checks of the file afterwards. */
import Database from 'better-sqlite3';
import { type Answer, type Client, castVote, newClient } from '../../lib/client.ts';
import { type Owner, type RunningServer, startServer } from '../../lib/processes.ts';
import type { Findings } from '../../lib/promise.ts';
import { newUserId, openSessionIssuer, type SessionIssuer } from '../../lib/sessions.ts';
import { addGuild, doubledUsers, GUILD, readVotes, type Site } from '../../lib/site.ts';

export type Scene = {
  site: Site;
  server: RunningServer;
  client: Client;
  issuer: SessionIssuer;
  key: string;
  /** Users whose vote was confirmed. */
  accepted: Set<string>;
  findings: Findings;
};

export type SceneOptions = {
  owner?: Owner;
  /** Called when the file exists but has not been opened yet. */
  prepare?: () => Promise<void>;
};

export async function withScene<T>(
  site: Site,
  findings: Findings,
  work: (scene: Scene) => Promise<T>,
  { owner = {}, prepare }: SceneOptions = {},
): Promise<T> {
  const issuer = await openSessionIssuer(site.secrets);
  try {
    const key = await addGuild(site);
    await prepare?.();
    const scene: Scene = { site, ...(await enter(site, owner)), issuer, key, accepted: new Set(), findings };
    const result = await work(scene);
    await leave(scene);
    await judgeFile(scene);
    return result;
  } finally {
    await issuer.close();
    await site.remove();
  }
}

/** Starts the server, and a client for it. */
export async function enter(site: Site, owner: Owner = {}): Promise<Pick<Scene, 'server' | 'client'>> {
  const server = await startServer(site.env, owner);
  return { server, client: newClient(server.url) };
}

export async function leave({ server, client, findings }: Scene): Promise<void> {
  client.close();
  const code = await server.stop();
  findings.expect(code === 0, `the server stopped with exit code ${code}: ${server.output().slice(-500)}`);
}

export async function judgeFile({ site, accepted, findings }: Scene): Promise<void> {
  const db = new Database(pathOf(site));
  const state = db.pragma('integrity_check', { simple: true });
  db.close();
  findings.expect(state === 'ok', `integrity_check: ${String(state)}`);
  const votes = await readVotes(site);
  const lost = [...accepted].filter((userId) => !votes.has(userId)).length;
  findings.expect(lost === 0, `${lost} accepted votes were lost`);
  findings.expect(doubledUsers(votes).length === 0, 'a user voted twice');
}

/** A vote of a new user. */
export async function vote({ client, issuer, accepted }: Scene): Promise<Answer> {
  const person = await issuer.issue(newUserId());
  const answer = await castVote(client, GUILD, person);
  if (answer.status === 303) accepted.add(person.userId);
  return answer;
}

export function read({ client, key }: Scene): Promise<Answer> {
  return client.call('/v7/vote-check?external_id=x', { headers: { 'x-api-token': key } });
}

export function isReady({ client }: Scene): Promise<Answer> {
  return client.call('/readyz');
}

export function pathOf({ database }: Site): string {
  if (database.kind !== 'sqlite') throw new Error('this site has no file');
  return database.path;
}
