import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { createTopVoters } from '../../../src/site/profile/routes.ts';
import { createLeaderboards } from '../../../src/store/votes/leaderboards.ts';
import { type Api, ago, OTHER_USER, onSqlite, USER } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';

const FRENCH = { 'accept-language': 'fr' };

const PROFILE = {
  description: 'Builders & <b>dreamers</b>',
  tags: ['minecraft', 'survie'],
  language: 'fr',
  invite: 'https://discord.gg/cafe',
  about: 'Rules & events\nEvery <Friday>',
  links: ['https://www.example.org/shop?a=1&b=2'],
} as const;

const visit = ({ app, guildId }: Api, headers?: Record<string, string>) =>
  newVisitor(app).get(`/guild/${guildId}`, headers);

onSqlite('the page of a community', (open) => {
  test('shows the profile of the community, as text', async () => {
    const api = await open();
    await api.store.profiles.set(api.guildId, PROFILE);
    const { status, text } = await visit(api);
    assert.equal(status, 200);
    assert.match(text, /<p class="profile-text" dir="auto" lang="fr">Builders &#38; &#60;b&#62;dreamers/);
    assert.match(text, /<bdi>minecraft<\/bdi>.*<bdi>survie<\/bdi>/s);
    assert.match(text, /Language: <\/span>French</);
    assert.match(
      text,
      /<a class="button secondary" href="https:\/\/discord.gg\/cafe" rel="nofollow ugc noopener">/,
    );
    assert.match(
      text,
      new RegExp(`<a class="button large profile-vote" href="/guild/${api.guildId}/vote">Vote</a>`),
    );
    assert.match(
      text,
      /class="profile-about" dir="auto" lang="fr">Rules &#38; events\nEvery &#60;Friday&#62;</,
    );
    assert.match(
      text,
      /href="https:\/\/www\.example\.org\/shop\?a=1&#38;b=2" rel="nofollow ugc noopener">example\.org\/shop</,
    );
    assert.match(text, /<meta property="og:description" content="Builders &#38; /);
    assert.match((await visit(api, FRENCH)).text, /Langue\u00A0: <\/span>Français</);
  });

  test('is complete without a profile', async () => {
    const api = await open();
    const { status, text } = await visit(api);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /class="tags"|profile-text|Join on Discord/);
    assert.match(text, /No votes in the last twelve months/);
    assert.match(text, /<span class="avatar huge tone-/);
    assert.match(text, /content="Vote for Guild \d+, and see its votes/);
  });

  test('counts the votes of this month, the last month and a year', async () => {
    const api = await open();
    await api.vote(
      { at: ago(MINUTE_MS) },
      { at: ago(DAY_MS) },
      { at: '2026-10-31T23:59:59Z' },
      { at: '2025-12-01T00:00:00Z' },
      { at: '2025-11-30T23:59:59Z' },
    );
    const { text } = await visit(api);
    assert.match(
      text,
      /Votes this month<\/dt><dd class="figure-value">2<\/dd><dd class="[^"]+">November 2026</,
    );
    assert.match(
      text,
      /Votes last month<\/dt><dd class="figure-value">1<\/dd><dd class="[^"]+">October 2026</,
    );
    assert.match(
      text,
      /aria-label="Votes per month from December 2025 to November 2026. Best month: November 2026, with 2."/,
    );
    assert.match(text, /<th scope="row">December 2025<\/th><td class="number">1</);
    assert.doesNotMatch(text, /November 2025/);
  });

  test('shows no months before the first vote', async () => {
    const api = await open();
    await api.vote({ at: ago(MINUTE_MS) }, { at: '2026-09-30T12:00:00Z' });
    const { text } = await visit(api);
    assert.match(text, /aria-label="Votes per month from September 2026 to November 2026\./);
    assert.equal(text.match(/<rect class="bar"/g)?.length, 3);
    assert.doesNotMatch(text, /August 2026/);
  });

  test('shows the rank of the community in the listing', async () => {
    const [first, second] = [await open(), await open()];
    const users = Array.from({ length: 30 }, (_, index) => String(250000000000000000n + BigInt(index)));
    await first.vote(...users.map((userId) => ({ userId, at: ago(MINUTE_MS) })));
    await second.vote(...users.slice(1).map((userId) => ({ userId, at: ago(MINUTE_MS) })));
    first.clock.advance(MINUTE_MS);
    assert.match((await visit(first)).text, /<dd class="figure-value">#1<\/dd><dd class="[^"]+">of \d+</);
    assert.match((await visit(second)).text, /<dd class="figure-value">#2</);
    assert.match((await visit(second, FRENCH)).text, /<dd class="figure-value">n°\u00A02</);
  });

  test('shows only top voters who agreed to it, without ids', async () => {
    const api = await open();
    const { users } = api.store;
    await api.vote({ at: ago(MINUTE_MS) }, { at: ago(DAY_MS) }, { userId: OTHER_USER, at: ago(MINUTE_MS) });
    await users.remember({ userId: USER, name: 'Steve', avatar: null }, api.clock());
    await users.remember({ userId: OTHER_USER, name: 'Hidden Person', avatar: null }, api.clock());
    await users.setShowName(USER, true);
    const { text } = await visit(api);
    assert.match(text, /<bdi>Steve<\/bdi><\/span><\/td><td class="number">2</);
    assert.match(text, /1 anonymous voter<\/span><\/td><td class="number">1</);
    assert.doesNotMatch(text, /Hidden Person/);
    assert.ok(!text.includes(USER) && !text.includes(OTHER_USER));
    await users.setShowName(USER, false);
    assert.doesNotMatch((await visit(api)).text, /Steve/);
  });

  test('of an unlisted one can be opened by its link, has no rank, and is not indexed', async () => {
    for (const unlist of ['setUnlisted', 'setHidden'] as const) {
      const api = await open();
      const path = `/guild/${api.guildId}`;
      for (const page of [path, `${path}/vote`])
        assert.equal((await api.get(page, { key: null })).headers['x-robots-tag'], undefined);
      await api.store.guilds[unlist](api.guildId, api.clock());
      for (const page of [path, `${path}/vote`])
        assert.equal((await api.get(page, { key: null })).headers['x-robots-tag'], 'noindex');
      assert.match(
        (await visit(api)).text,
        /This community is not in the public listing.*Not in the public listing/s,
      );
    }
  });

  test('of a sanctioned or unknown one is a 404', async () => {
    const api = await open();
    await api.store.guilds.setSanction(api.guildId, { since: api.clock(), reason: 'bought votes' });
    const { status, text } = await visit(api);
    assert.equal(status, 404);
    assert.match(text, /Community not found/);
    assert.doesNotMatch(text, /bought votes/);
    for (const guildId of ['1', 'x', '999999999999999999'])
      assert.equal((await newVisitor(api.app).get(`/guild/${guildId}`)).status, 404);
  });

  test('is linked from the listing, the voting page and its URL with a trailing slash', async () => {
    const api = await open();
    const link = new RegExp(`href="/guild/${api.guildId}"`);
    api.clock.advance(MINUTE_MS);
    assert.match(
      (
        await newVisitor(api.app).get(
          `/?q=${encodeURIComponent((await api.store.guilds.find(api.guildId))?.name ?? '')}`,
        )
      ).text,
      link,
    );
    assert.match((await newVisitor(api.app).get(`/guild/${api.guildId}/vote`)).text, link);
    assert.equal((await newVisitor(api.app).get(`/guild/${api.guildId}/`)).location, `/guild/${api.guildId}`);
  });
});

onSqlite('a leaderboard', (open) => {
  const month = Date.parse('2026-11-01');

  for (const tookMs of [0, 1000]) {
    test(`that takes ${tookMs} ms to read is ${tookMs > 0 ? 'served from the previous read while it is read again' : 'read before the page is sent'}`, async () => {
      const { store, clock, guildId } = await open();
      const results: (() => void)[] = [];
      let reads = 0;
      const topVoters = async () => {
        reads += 1;
        const votes = reads;
        await new Promise<void>((resolve) => results.push(resolve));
        return [{ userId: USER, votes }];
      };
      const countInMonth = async () => reads + 1;
      const slow = { ...store, votes: { ...store.votes, topVoters, countInMonth } };
      const read = createTopVoters({ clock, leaderboards: createLeaderboards({ store: slow, clock }) });
      const finish = async () => {
        await new Promise(setImmediate);
        clock.advance(tookMs);
        results.shift()?.();
      };
      const shown = async () => (await read(guildId, month))[0]?.votes;
      const first = shown();
      await finish();
      assert.equal(await first, 1);
      assert.equal(await shown(), 1);
      clock.advance(MINUTE_MS / 2);
      const second = shown();
      if (tookMs > 0) assert.equal(await second, 1);
      await finish();
      if (tookMs === 0) assert.equal(await second, 2);
      await new Promise(setImmediate);
      assert.equal(await shown(), 2);
      clock.advance(3 * MINUTE_MS);
      const third = shown();
      await finish();
      assert.equal(await third, 3);
    });
  }
});

onSqlite('the icon of a community', (open) => {
  const ICON = {
    source: 'a'.repeat(32),
    version: '0123456789abcdef',
    type: 'image/png',
    bytes: Buffer.from('\x89PNG, more or less', 'latin1'),
  } as const;

  const read = ({ app, guildId }: Api, version: string, headers: Record<string, string> = {}) =>
    app.inject({ url: `/guild/${guildId}/icon/${version}`, headers });

  test('is served by this site and cached until it changes', async () => {
    const api = await open();
    await api.store.profiles.setIcon(api.guildId, ICON);
    const path = `/guild/${api.guildId}/icon/${ICON.version}`;
    assert.ok((await visit(api)).text.includes(`<img class="avatar huge" src="${path}" alt=""`));
    const { statusCode, headers, rawPayload } = await read(api, ICON.version);
    assert.equal(statusCode, 200);
    assert.deepEqual(rawPayload, ICON.bytes);
    assert.equal(headers['content-type'], 'image/png');
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.match(String(headers['content-security-policy']), /default-src 'none'/);
    const again = await read(api, ICON.version, { 'if-none-match': String(headers.etag) });
    assert.deepEqual([again.statusCode, again.payload], [304, '']);
  });

  test('is the new one for pages that still link to the old one, for a few minutes', async () => {
    const api = await open();
    await api.store.profiles.setIcon(api.guildId, ICON);
    const { statusCode, headers } = await read(api, 'fedcba9876543210');
    assert.deepEqual([statusCode, headers['cache-control']], [200, 'public, max-age=300']);
  });

  test('is a 404 without an icon, or while the community is sanctioned', async () => {
    const api = await open();
    assert.equal((await read(api, ICON.version)).statusCode, 404);
    await api.store.profiles.setIcon(api.guildId, ICON);
    await api.store.guilds.setSanction(api.guildId, { since: api.clock(), reason: null });
    assert.equal((await read(api, ICON.version)).statusCode, 404);
  });
});
