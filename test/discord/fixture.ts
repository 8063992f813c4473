/**
 * A service with the Discord app, on SQLite, and a Discord that calls it.
 *
 *   const app = await openApp();
 *   const { content, buttons } = await app.command('vote');
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { type DiscordEndpoint, NO_DISCORD_APP } from '../../src/discord/app.ts';
import { createDiscordRest, type DiscordRest } from '../../src/discord/rest.ts';
import { generateApiKey, hashApiKey } from '../../src/domain/keys/api-key.ts';
import { isRecord } from '../../src/domain/record.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import type { VoteRefusal } from '../../src/domain/votes/refusals.ts';
import { createMetrics } from '../../src/observability/prometheus.ts';
import { buildServer } from '../../src/server.ts';
import type { Store } from '../../src/store/store.ts';
import { NOW, testServerDeps } from '../support/api.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { type FakeDiscordApp, type Origin, startDiscord } from '../support/discord/discord-app.ts';
import { BOT_TOKEN, buttonsOf, isValidButton } from '../support/discord/discord-rest.ts';
import { openTestStore } from '../support/sqlite.ts';

export const SITE = 'https://votes.example.org';
export const USER_AGENT = `DiscordBot (${SITE}, 0.0.0)`;
export const VOTER = '200000000000000001';

/** What a user sees. `buttons` maps labels to the URL of a link or the id of a button. */
export type Shown = { type: number; content: string; flags: number; buttons: Record<string, string> };

export type App = {
  server: FastifyInstance;
  store: Store;
  clock: TestClock;
  discord: FakeDiscordApp;
  rest: DiscordRest;
  guildId: string;
  key: string;
  refusals: VoteRefusal[];
  post(request: {
    payload: string;
    headers: Record<string, string>;
  }): Promise<{ status: number; body: unknown }>;
  /** `vote`, or `remind on`. */
  command(name: string, origin?: Partial<Origin>): Promise<Shown>;
  press(customId: string, origin?: Partial<Origin>): Promise<Shown>;
  get(path: string): Promise<Record<string, unknown>>;
};

type Given = { endpoint?: Partial<DiscordEndpoint>; wrapStore?: (store: Store) => Store; isOff?: boolean };

export async function openApp({
  endpoint = {},
  wrapStore = (store) => store,
  isOff = false,
}: Given = {}): Promise<App> {
  const directory = await mkdtemp(join(tmpdir(), 'votary-discord-'));
  const clock = testClock(NOW);
  const discord = await startDiscord(clock);
  const store = await openTestStore(join(directory, 'votary.db'));
  const rest = createDiscordRest({ api: discord.url, botToken: BOT_TOKEN, userAgent: USER_AGENT, clock });
  const configured = { publicKey: discord.publicKey, rest, hasReminders: true, ...endpoint };
  const metrics = createMetrics();
  const refusals: VoteRefusal[] = [];
  const server = buildServer({
    ...testServerDeps(wrapStore(store), clock, deriveSecrets('a master secret for tests')),
    metrics: { ...metrics, voteRefused: (reason) => void refusals.push(reason) },
    publicUrl: SITE,
    discordApp: isOff ? NO_DISCORD_APP : configured,
  });
  after(async () => {
    await server.close();
    await store.close();
    await discord.close();
    await rm(directory, { recursive: true });
  });
  const guildId = '300000000000000001';
  const key = generateApiKey();
  await store.guilds.add({ guildId, name: 'Cats', createdAt: clock() });
  await store.guilds.setKey(guildId, { hash: hashApiKey(key), sealed: 'unused', createdAt: clock() });

  const post: App['post'] = async (request) => {
    const answer = await server.inject({ method: 'POST', url: '/discord/interactions', ...request });
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    return { status: answer.statusCode, body: isJson ? answer.json() : answer.payload };
  };
  const show = async (body: string) => {
    const { status, body: shown } = await post(discord.signed(body));
    assert.equal(status, 200);
    return readShown(shown);
  };
  return {
    ...{ server, store, clock, discord, rest, guildId, key, refusals, post },
    command: (text, given = {}) => {
      const [name = '', option] = text.split(' ');
      const origin = { guildId, userId: VOTER, ...given };
      return show(discord.command(name, { ...origin, ...(option ? { option } : {}) }));
    },
    press: (customId, given = {}) => show(discord.button(customId, { userId: VOTER, ...given })),
    get: async (path) => {
      const answer = await server.inject({ url: path, headers: { authorization: `Bearer ${key}` } });
      assert.equal(answer.statusCode, 200, answer.payload);
      return answer.json();
    },
  };
}

/** Checks what all responses have in common, and returns the rest. */
function readShown(body: unknown): Shown {
  assert.ok(isRecord(body) && isRecord(body.data));
  const { type, data } = body;
  assert.deepEqual(data.allowed_mentions, { parse: [] });
  const content = String(data.content);
  assert.ok(content.length > 0 && content.length <= 2000);
  const buttons = buttonsOf(data);
  assert.ok(buttons.length <= 5 && buttons.every(isValidButton));
  return {
    type: Number(type),
    content,
    flags: Number(data.flags),
    buttons: Object.fromEntries(buttons.map(({ label, url, custom_id: id }) => [label, url ?? id])),
  };
}
