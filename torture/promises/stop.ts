import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import { castVote, newClient } from '../lib/client.ts';
import { newUserId, openPassportOffice } from '../lib/passports.ts';
import { startServer } from '../lib/processes.ts';
import { Findings, type Trial, type TrialWorld } from '../lib/promise.ts';
import { addGuild, GUILD, type Kind, makeSite, type Site } from '../lib/site.ts';
import { readVotes } from '../lib/votes.ts';

const IN_FLIGHT = 40;

export const stopTrial: Trial = {
  name: 'stop',
  promise: 'When SIGTERM comes, every request under way is answered, and the exit code is 0.',
  async run({ scale, say }: TrialWorld) {
    const findings = new Findings();
    let requests = 0;
    let answered = 0;
    for (const kind of ['sqlite', 'postgres'] as const) {
      for (let round = 1; round <= scale.stopRounds; round += 1) {
        const statuses = await stopUnderLoad(kind, findings);
        requests += statuses.length;
        answered += statuses.filter((status) => status === 303).length;
      }
      say(`${kind}: ${answered} of ${requests} answered`);
    }
    findings.expect(answered === requests, `${requests - answered} requests under way were not answered`);
    return { broken: findings.broken, counts: { rounds: 2 * scale.stopRounds, requests, answered } };
  },
};

/** Somebody else holds the database, so that all votes are certainly under way when the signal comes. */
async function stopUnderLoad(kind: Kind, findings: Findings): Promise<number[]> {
  const site = await makeSite(kind);
  const office = await openPassportOffice(site.secrets);
  try {
    await addGuild(site);
    const server = await startServer(site.env);
    const client = newClient(server.url);
    // Opened before: a connection that is still in its handshake when the signal comes has asked for nothing yet.
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => client.call('/healthz')));
    const people = await Promise.all(Array.from({ length: IN_FLIGHT }, () => office.issue(newUserId())));
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
    await office.close();
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
