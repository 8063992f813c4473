/**
 * A community with players who vote, and game servers with the plugin of clients/minecraft. Pauses of the plugin are short: its seconds
 * take 10 ms.
 *
 *   const open = await preparePlugin();
 *   const { serve, vote } = await open(t, { 'vote-rewards': [{ when: 'now', commands: ['say {player}'] }] });
 *   const game = serve();
 *   await vote('Steve_42');
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { startClocked } from '../../guides/clocked.ts';
import { buildReadyPlugin, openGame, type Plugin } from '../../guides/minecraft/paper/game.ts';
import { addGuild } from '../../store/fixtures.ts';

type Reward = { every?: number; when?: 'now' | 'online'; for?: string; commands: string[] };

export type Rewards = Partial<Record<'vote-rewards' | 'cumulative-rewards' | 'party-rewards', Reward[]>>;

export type Options = { url?: string; key?: string; settings?: Record<string, string>; rateLimit?: number };

export const SHORT_PAUSES: [from: string, to: string][] = [
  ['1_000_000_000L', '10_000_000L'],
  ['Thread.sleep(4000)', 'Thread.sleep(40)'],
  ['PAUSE_AFTER_REFUSAL_MS = 60_000', 'PAUSE_AFTER_REFUSAL_MS = 300'],
];

/** One diamond for each vote, when the player is online. */
export const DIAMONDS: Rewards = {
  'vote-rewards': [{ when: 'online', commands: ['give {player} diamond {amount}'] }],
};

/** A config.yml. */
export function configOf(url: string, key: string, rewards: Rewards, settings: Record<string, string> = {}) {
  const lines = Object.entries({ url, 'api-key': key, ...settings }).map(
    ([name, value]) => `${name}: ${/^\d+$/.test(value) ? value : `'${value}'`}`,
  );
  for (const [path, list] of Object.entries(rewards)) {
    lines.push(`${path}:`);
    for (const { every, when = 'online', for: recipients, commands } of list) {
      lines.push(`  - when: ${when}`);
      if (every !== undefined) lines.push(`    every: ${every}`);
      if (recipients) lines.push(`    for: ${recipients}`);
      lines.push('    commands:', ...commands.map((command) => `      - '${command}'`));
    }
  }
  return `${lines.join('\n')}\n`;
}

export async function preparePlugin(plugin?: Plugin) {
  const built = plugin ?? (await buildReadyPlugin(SHORT_PAUSES));
  const service = await startClocked();
  let users = 0;

  async function open(
    t: TestContext,
    rewards: Rewards,
    { url, key, settings, rateLimit = 1000 }: Options = {},
  ) {
    const guildId = await addGuild(service.store);
    await service.store.guilds.setRateLimit(guildId, rateLimit);
    const env = await service.environmentOf(guildId);
    const keyUsed = key ?? env.VOTARY_API_KEY ?? '';
    // The clock of the service is ahead of that of the plugin.
    const config = configOf(url ?? service.url, keyUsed, rewards, {
      'first-start-hours': '700',
      ...settings,
    });
    const names = new Set<string | null>();
    const serve = await openGame(t, built, env, { 'plugin/config.yml': config });
    return {
      guildId,
      key: env.VOTARY_API_KEY ?? '',
      serve,
      /** Starts a game server and waits until it follows the feed, so that it sees every vote from now on. */
      async play(crash = '') {
        const isFollowing = service.untilSent(
          ({ url, status }) => url.startsWith('/v7/guild/feed') && status === 200,
        );
        const game = serve(crash);
        await isFollowing;
        return game;
      },
      /** A second vote under a name is an hour later, because a name is rewarded once an hour. */
      async vote(externalId: string | null, given: { isDoubled?: boolean; userId?: string } = {}) {
        users += 1;
        if (names.has(externalId)) service.clock.advance(HOUR_MS);
        names.add(externalId);
        const userId = given.userId ?? String(500_000_000_000_000_000n + BigInt(users));
        const { isDoubled = false } = given;
        const vote = { guildId, userId, castAt: service.clock(), externalId, isDoubled };
        assert.equal((await service.store.votes.cast(vote)).kind, 'accepted');
      },
      /** The console commands that were run in this world, also before a crash. */
      async commands(): Promise<string[]> {
        const text = await readFile(join(serve.folder, 'console.txt'), 'utf8').catch(() => '');
        return text.split('\n').filter((line) => line !== '');
      },
      ledger: () => readFile(join(serve.folder, 'plugin/ledger.txt'), 'utf8'),
    };
  }

  return { service, open, plugin: built };
}
