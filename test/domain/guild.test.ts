import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Guild, hasPremium, isActive } from '../../src/domain/guild.ts';

const NOW = Date.parse('2026-03-20T10:00:00.000Z');
const GUILD: Guild = {
  guildId: '100000000000000001',
  name: 'A guild',
  createdAt: NOW,
  doubling: 'never',
  oneRewardPerName: true,
  playerNames: 'exact',
  listforgeConsumer: 'default',
  premiumUntil: null,
  sanction: null,
  unlistedAt: null,
  hiddenAt: null,
  rateLimit: null,
  icon: null,
  hasKey: true,
};

describe('Premium', () => {
  const scenarios: [name: string, premiumUntil: number | null, isPremium: boolean][] = [
    ['does not exist if it was never granted', null, false],
    ['lasts up to the last millisecond before its end', NOW + 1, true],
    ['is over at its end', NOW, false],
    ['is over after its end', NOW - 1, false],
  ];
  for (const [name, premiumUntil, isPremium] of scenarios) {
    it(name, () => assert.equal(hasPremium({ ...GUILD, premiumUntil }, NOW), isPremium));
  }
});

it('a guild is active until it is sanctioned', () => {
  assert.equal(isActive(GUILD), true);
  assert.equal(isActive({ ...GUILD, sanction: { since: NOW, reason: null } }), false);
});
