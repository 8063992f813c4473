/** A community with a voter role, and the worker that gives it in a fake Discord. */
import { createRoleChanger } from '../../src/discord/member-role.ts';
import type { RoleResult, VoterRole } from '../../src/domain/votes/voter-role.ts';
import { VoterRoleWorker } from '../../src/voter-roles/worker.ts';
import { type App, openApp, VOTER } from '../discord/fixture.ts';
import { type FakeServer, fakeServer } from '../support/discord/discord-rest.ts';

const QUIET = { info: () => undefined, error: () => undefined };
export const ROLE = '500000000000000001';
export const OTHER_ROLE = '500000000000000002';
export const RECENT: VoterRole = { roleId: ROLE, rule: 'recent', amount: 12 };

type Scene = App & {
  worker: VoterRoleWorker;
  discordServer: FakeServer;
  results: RoleResult[];
  set(role: VoterRole | null): Promise<boolean>;
  has(userId?: string): boolean;
  problem(): Promise<string | undefined>;
};

export function workerOf(
  { store, clock, rest }: Pick<App, 'store' | 'clock' | 'rest'>,
  results: RoleResult[] = [],
) {
  const onResult = (result: RoleResult) => void results.push(result);
  return new VoterRoleWorker({ store, clock, change: createRoleChanger(rest), logger: QUIET, onResult });
}

export async function openScene(role: VoterRole | null = RECENT): Promise<Scene> {
  const app = await openApp();
  const discordServer = fakeServer(ROLE, [VOTER]);
  app.discord.servers.set(app.guildId, discordServer);
  const results: RoleResult[] = [];
  const set = (wanted: VoterRole | null) => app.store.voterRoles.set(app.guildId, wanted, app.clock());
  if (role) await set(role);
  return {
    ...app,
    ...{ discordServer, results, set },
    worker: workerOf(app, results),
    has: (userId = VOTER) => discordServer.members.get(userId)?.has(ROLE) ?? false,
    problem: async () => (await app.store.voterRoles.find(app.guildId))?.problem?.kind,
  };
}
