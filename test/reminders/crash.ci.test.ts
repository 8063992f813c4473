import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { DatabaseUrl } from '../../src/config.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { openStore } from '../../src/store/open.ts';
import { addGuild, NOW, voteOf } from '../store/fixtures.ts';
import { type FakeDiscordApp, startDiscord } from '../support/discord/discord-app.ts';
import { createTestDatabase } from '../support/postgres/postgres.ts';

const USERS = Array.from({ length: 100 }, (_, i) => `2000000000000${10_000 + i}`);
const CRASHES = 6;
/** Each reminder takes two requests, so that there is work left for the last process. */
const MOST_REQUESTS = 25;

const DATABASES: Record<string, () => Promise<DatabaseUrl>> = {
  SQLite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'votary-reminders-'));
    after(() => rm(folder, { recursive: true, force: true }));
    return { kind: 'sqlite', path: join(folder, 'votary.db') };
  },
  PostgreSQL: async () => {
    const { url, drop } = await createTestDatabase();
    after(drop);
    return { kind: 'postgres', url };
  },
};

for (const [name, createDatabase] of Object.entries(DATABASES)) {
  describe(`after ${CRASHES} kills at random points (${name})`, () => {
    test('each of 100 reminders has arrived exactly once', { timeout: 180_000 }, async () => {
      const database = await createDatabase();
      let now = NOW + HOUR_MS;
      const discord = await startDiscord(() => now);
      after(() => discord.close());
      await prepare(database);
      for (let crash = 0; crash < CRASHES; crash += 1) {
        await runUntilKilled({
          database,
          discord,
          now,
          requests: 5 + Math.floor(Math.random() * MOST_REQUESTS),
        });
        // The claims of the killed process have expired; every second time, the nonces have too.
        now += crash % 2 === 0 ? 2 * MINUTE_MS : 10 * MINUTE_MS;
      }
      assert.ok(discord.messages.length < USERS.length, 'nothing was left after the last kill');
      await runUntilDone({ database, discord, now });
      assert.deepEqual(discord.messages.map(({ userId }) => userId).sort(), USERS);
    });
  });
}

async function prepare(database: DatabaseUrl): Promise<void> {
  const store = await openStore(database);
  const guildId = await addGuild(store);
  for (const userId of USERS) {
    await store.reminders.enable({ guildId, userId, locale: 'en', now: NOW });
    await store.votes.cast(voteOf(guildId, { userId }));
  }
  await store.close();
}

/** Longer than a process takes to start on a busy machine. */
const LONGEST_PAUSE_MS = 8000;

type Run = { database: DatabaseUrl; discord: FakeDiscordApp; now: number };

function startChild({ database, discord, now }: Run) {
  const botToken = discord.env.VOTARY_DISCORD_BOT_TOKEN;
  // Not passed as an argument: a test searches the process list for secrets.
  const task = JSON.stringify({ database, api: discord.url, botToken, now });
  const child = fork(new URL('./crash-child.ts', import.meta.url), {
    env: { ...process.env, TASK: task },
    // Not the options of the test runner.
    execArgv: [],
  });
  after(() => child.kill('SIGKILL'));
  return child;
}

/** Kills the process when this many requests have arrived, some of them before their response. */
async function runUntilKilled({ requests, ...run }: Run & { requests: number }): Promise<void> {
  const child = startChild(run);
  let left = requests;
  run.discord.fault = (request) => {
    left -= 1;
    if (left === 0) child.kill('SIGKILL');
    return left <= 0 && request.startsWith('POST /channels') ? 'lost' : undefined;
  };
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL');
}

async function runUntilDone(run: Run): Promise<void> {
  const child = startChild(run);
  const store = await openStore(run.database);
  const { promise: isQuiet, resolve } = Promise.withResolvers<void>();
  let last = setTimeout(resolve, LONGEST_PAUSE_MS);
  run.discord.fault = () => {
    clearTimeout(last);
    last = setTimeout(resolve, LONGEST_PAUSE_MS);
    return undefined;
  };
  await isQuiet;
  child.kill('SIGKILL');
  await once(child, 'close');
  assert.deepEqual(await store.reminders.claim({ now: run.now + 10 * MINUTE_MS, until: 0, limit: 100 }), []);
  await store.close();
}
