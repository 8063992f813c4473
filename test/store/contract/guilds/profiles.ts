import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GuildProfile, NO_PROFILE } from '../../../../src/domain/guild.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, listedGuild, NOW, voteOf } from '../../fixtures.ts';

const UNKNOWN = '199999999999999999';

const PROFILE: GuildProfile = {
  description: 'Café des joueurs ☕, "survie" & plus',
  tags: ['minecraft', 'français'],
  language: 'fr',
  invite: 'https://discord.gg/cafe',
  about: 'Line one\n\nLine two',
  links: ['https://example.org/', 'https://example.net/shop'],
};

const ICON = {
  source: 'a'.repeat(32),
  version: 'v1',
  type: 'image/png',
  bytes: Buffer.of(0, 255, 10),
} as const;

export function profileContract(subject: Subject): void {
  test('a guild has no profile until it is set, and the last one afterwards', async () => {
    const { profiles } = subject.store;
    const guildId = await addGuild(subject.store);
    assert.deepEqual(await profiles.find(guildId), NO_PROFILE);
    assert.equal(await profiles.set(guildId, PROFILE), true);
    assert.deepEqual(await profiles.find(guildId), PROFILE);
    assert.equal(await profiles.set(guildId, NO_PROFILE), true);
    assert.deepEqual(await profiles.find(guildId), NO_PROFILE);
  });

  test('an icon is stored byte by byte, and its version is part of the guild and of the listing', async () => {
    const { guilds, profiles } = subject.store;
    const guildId = await addGuild(subject.store, 'With an icon');
    const listed = async () => (await listedGuild(subject.store, guildId))?.icon;
    assert.equal(await profiles.icon(guildId), undefined);
    assert.equal(await listed(), null);
    assert.equal(await profiles.setIcon(guildId, ICON), true);
    const { source: _source, ...stored } = ICON;
    assert.deepEqual({ ...(await profiles.icon(guildId)) }, stored);
    assert.equal((await guilds.find(guildId))?.icon, 'v1');
    assert.equal(await listed(), 'v1');
    await profiles.setIcon(guildId, { ...ICON, version: 'v2', type: 'image/gif' });
    assert.equal((await profiles.icon(guildId))?.type, 'image/gif');
    assert.equal((await guilds.find(guildId))?.icon, 'v2');
    assert.equal(await profiles.setIcon(guildId, null), true);
    assert.equal(await profiles.icon(guildId), undefined);
    assert.equal((await guilds.find(guildId))?.icon, null);
  });

  test('the data of a guild from Discord is stored with its profile', async () => {
    const { profiles } = subject.store;
    const guildId = await addGuild(subject.store, 'Here');
    const never = { guildId, name: 'Here', discordName: null, iconSource: null };
    assert.deepEqual((await profiles.seen([guildId, UNKNOWN])).map(plain), [never]);
    await profiles.setDiscordName(guildId, 'There');
    await profiles.set(guildId, PROFILE);
    await profiles.setIcon(guildId, ICON);
    const seen = { ...never, discordName: 'There', iconSource: ICON.source };
    assert.deepEqual((await profiles.seen([guildId])).map(plain), [seen]);
    await profiles.setDiscordName(guildId, 'Elsewhere');
    assert.equal((await profiles.seen([guildId]))[0]?.discordName, 'Elsewhere');
    assert.deepEqual(await profiles.find(guildId), PROFILE);
  });

  test('removing a guild removes its profile and its icon', async () => {
    const { guilds, profiles } = subject.store;
    const guildId = await addGuild(subject.store);
    await profiles.set(guildId, PROFILE);
    await profiles.setIcon(guildId, ICON);
    await guilds.remove(guildId);
    assert.deepEqual(await profiles.find(guildId), NO_PROFILE);
    assert.equal(await profiles.icon(guildId), undefined);
    assert.equal(await profiles.set(guildId, PROFILE), false);
    assert.equal(await profiles.setIcon(guildId, ICON), false);
    assert.equal(await profiles.setDiscordName(guildId, 'There'), false);
  });

  test('a guild hidden by its admins is not in the listing, whatever the operator decides, and vice versa', async () => {
    const { guilds } = subject.store;
    const guildId = await addGuild(subject.store, 'Hidden away');
    const isListed = async () => (await listedGuild(subject.store, guildId)) !== undefined;
    assert.equal(await guilds.setHidden(guildId, NOW), true);
    assert.equal((await guilds.find(guildId))?.hiddenAt, NOW);
    assert.equal(await isListed(), false);
    await guilds.setUnlisted(guildId, null);
    assert.equal(await isListed(), false);
    await guilds.setUnlisted(guildId, NOW);
    await guilds.setHidden(guildId, null);
    assert.equal(await isListed(), false);
    await guilds.setUnlisted(guildId, null);
    assert.equal(await isListed(), true);
    assert.equal(await guilds.setHidden(UNKNOWN, NOW), false);
  });

  test('votes per month are returned in order, without empty months', async () => {
    const guildId = await addGuild(subject.store);
    const cast = (at: string) => voteOf(guildId, { castAt: Date.parse(at) });
    await importAll(
      subject.store,
      cast('2026-11-01T00:00:00Z'),
      cast('2026-11-02T00:00:00Z'),
      cast('2026-09-30T23:59:59Z'),
      cast('2025-11-30T00:00:00Z'),
    );
    const period = { from: Date.parse('2025-12-01'), to: Date.parse('2026-12-01') };
    const found = (await subject.store.votes.monthly(guildId, period)).map(plain);
    assert.deepEqual(found, [
      { month: Date.parse('2026-09-01'), votes: 1 },
      { month: Date.parse('2026-11-01'), votes: 2 },
    ]);
  });
}

/** One database returns rows of its own class. */
function plain<Row extends object>(row: Row): Row {
  return { ...row };
}
