import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputOf, NO_PROFILE, type ProfileInput, readProfile } from '../../src/domain/guild.ts';

const EMPTY: ProfileInput = { description: '', tags: '', language: '', invite: '', about: '', links: '' };

const read = (input: Partial<ProfileInput>) => readProfile({ ...EMPTY, ...input });
const faultsIn = (input: Partial<ProfileInput>) => read(input).faults;

test('an empty form is an empty profile', () => {
  assert.deepEqual(read({}), { profile: NO_PROFILE, faults: {} });
});

test('a saved profile can be edited without changes', () => {
  const { profile, faults } = read({
    description: '  A   quiet\nplace\u0007 for builders ',
    tags: 'Minecraft, #Role Play, survie, minecraft,',
    language: 'fr',
    invite: ' https://discord.com/invite/cafe-1 ',
    about: ' Line one \r\n\r\n\r\n\r\nLine\u202e two ',
    links: 'https://example.org/shop\nhttps://example.net ',
  });
  assert.deepEqual(faults, {});
  assert.deepEqual(profile, {
    description: 'A quiet place for builders',
    tags: ['minecraft', 'role-play', 'survie'],
    language: 'fr',
    invite: 'https://discord.gg/cafe-1',
    about: 'Line one\n\nLine two',
    links: ['https://example.org/shop', 'https://example.net'],
  });
  assert.deepEqual(readProfile(inputOf(profile)), { profile, faults: {} });
});

test('a description has at most 300 characters, however they are encoded', () => {
  assert.deepEqual(faultsIn({ description: '🎉'.repeat(300) }), {});
  assert.deepEqual(faultsIn({ description: '🎉'.repeat(301) }), { description: 'description-too-long' });
});

test('an about text has at most 2,000 characters, and links are up to five complete https addresses', () => {
  assert.deepEqual(faultsIn({ about: '🎉'.repeat(2000) }), {});
  assert.deepEqual(faultsIn({ about: '🎉'.repeat(2001) }), { about: 'about-too-long' });
  const link = 'https://example.org/';
  assert.deepEqual(faultsIn({ links: Array(5).fill(link).join('\n') }), {});
  assert.deepEqual(faultsIn({ links: Array(6).fill(link).join('\n') }), { links: 'too-many-links' });
  for (const links of [
    'http://example.org',
    'javascript:alert(1)',
    'https://a:b@example.org',
    'example.org',
    `${link}${'x'.repeat(200)}`,
  ])
    assert.deepEqual(faultsIn({ links }), { links: 'bad-link' }, links);
});

test('a description cannot contain links, but can name a game server', () => {
  for (const description of [
    'See https://example.org',
    'see HTTP://EXAMPLE.ORG',
    'on www.example.org',
    'join discord.gg/abc',
    'example.org/path',
    '[click](javascript:x)',
    'steam://connect/1.2.3.4',
  ]) {
    assert.deepEqual(faultsIn({ description }), { description: 'description-link' }, description);
  }
  for (const description of ['Join play.example.org:25565', 'PvP/PvE and/or RP', 'v1.2. Come in!', '24/7']) {
    assert.deepEqual(faultsIn({ description }), {}, description);
  }
});

test('text cannot change the direction of the page around it', () => {
  assert.equal(read({ description: 'abc\u202Edef' }).profile.description, 'abc def');
});

test('tags are at most five short words', () => {
  assert.deepEqual(faultsIn({ tags: 'aa,bb,cc,dd,ee' }), {});
  assert.deepEqual(faultsIn({ tags: 'aa,bb,cc,dd,ee,ff' }), { tags: 'too-many-tags' });
  for (const tags of ['a', 'x'.repeat(25), 'c++', '<b>', '-aa', 'a_b', 'aa/bb']) {
    assert.deepEqual(faultsIn({ tags }), { tags: 'bad-tag' }, tags);
  }
  assert.deepEqual(read({ tags: 'ÉLITE, 日本, हिन्दी' }).profile.tags, ['élite', '日本', 'हिन्दी']);
});

test('only known languages are accepted', () => {
  assert.deepEqual(faultsIn({ language: 'xx' }), { language: 'bad-language' });
  assert.deepEqual(faultsIn({ language: 'FR' }), { language: 'bad-language' });
});

test('an invite must be a link to Discord', () => {
  for (const invite of [
    'http://discord.gg/abc',
    'discord.gg/abc',
    'https://discord.gg/',
    'https://discord.gg/abc?x=1',
    'https://discord.gg/abc/def',
    'https://discord.gg.evil.example/abc',
    'https://evil.example/discord.gg/abc',
    'https://discord.gg@evil.example/abc',
    'https://discord.com/channels/1/2',
    'https://discord.com/invite/a%2Fb',
    'javascript:alert(1)//https://discord.gg/abc',
    'https://discord.gg/abc\nx',
  ]) {
    assert.deepEqual(read({ invite }), { profile: NO_PROFILE, faults: { invite: 'bad-invite' } }, invite);
  }
});
