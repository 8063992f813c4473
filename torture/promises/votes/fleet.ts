/**
 * Several processes on one database, killed and replaced while clients go on.
 *
 *   const fleet = await openFleet(site.env, 4);
 *   const answer = await fleet.ask('/v7/guild/feed', { headers });   // any process; asked again elsewhere when it is killed
 *   await fleet.replaceOne();
 *   await fleet.stop(findings);
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Call, type Client, newClient } from '../../lib/client.ts';
import { type Environment, type RunningServer, startServer } from '../../lib/processes.ts';
import type { Findings } from '../../lib/promise.ts';

/** Long enough to replace all processes at the same time. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 20;

type Member = { server: RunningServer; client: Client };

export type Fleet = {
  members(): readonly Member[];
  /** The response of any process, and how many failed before. */
  ask(path: string, call?: Call): Promise<Answer & { tries: number }>;
  /** Ends a process, by SIGKILL by default, and starts a new one. Returns the new one. */
  replaceOne(index: number, how?: 'kill' | 'stop'): Promise<Member>;
  stop(findings: Findings): Promise<void>;
};

export async function openFleet(env: Environment, processes: number): Promise<Fleet> {
  const start = async (): Promise<Member> => {
    const server = await startServer(env);
    return { server, client: newClient(server.url, { maxSockets: 512 }) };
  };
  const members = await Promise.all(Array.from({ length: processes }, start));
  let asked = 0;

  async function ask(path: string, call: Call = {}): Promise<Answer & { tries: number }> {
    const start = performance.now();
    for (let tries = 1; ; tries += 1) {
      asked += 1;
      const member = members[asked % members.length];
      const answer = await member?.client.call(path, call).catch(() => undefined);
      if (answer) return { ...answer, tries };
      if (performance.now() - start > PATIENCE_MS) throw new Error(`no process answered ${path}`);
      await pause(RETRY_MS);
    }
  }

  return {
    members: () => members,
    ask,
    async replaceOne(index, how = 'kill') {
      const place = index % members.length;
      const old = members[place];
      await old?.server[how]();
      old?.client.close();
      const fresh = await start();
      members[place] = fresh;
      return fresh;
    },
    async stop(findings) {
      for (const { client } of members) client.close();
      const codes = await Promise.all(members.map(({ server }) => server.stop()));
      findings.expect(
        codes.every((code) => code === 0),
        `exit codes were ${codes.join(', ')}`,
      );
    },
  };
}
