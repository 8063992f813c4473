import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { type Api, onSqlite } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';

/** The figures of the page, by name. */
function figuresIn(text: string): Record<string, string> {
  const found = text.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g);
  return Object.fromEntries(
    [...found].map(([, name = '', value = '']) => [name, value.replace(/<[^>]+>/g, '')]),
  );
}

async function voteAs(api: Api, name: string, query = '') {
  const visitor = newVisitor(api.app);
  const userId = await visitor.signIn(name);
  const path = `/guild/${api.guildId}/vote${query}`;
  const vote = async () => {
    await visitor.submit(await visitor.get(path), path);
    return (await visitor.get(path)).text;
  };
  return { visitor, userId, path, vote };
}

onSqlite('after a vote', (open) => {
  test('the page shows the total, the streak and the ranks, and what the vote changed', async () => {
    const api = await open();
    const { guildId, clock } = api;
    const { vote, userId } = await voteAs(api, 'Alex');
    const at = (ago: number, voter: string) => ({
      userId: voter,
      at: new Date(clock() - ago).toISOString(),
    });
    const rival = '200000000000000900';
    const others = Array.from({ length: 2 }, (_, i) => at((i + 1) * HOUR_MS, rival));
    await api.vote(
      at(DAY_MS, userId),
      at(2 * DAY_MS, userId),
      at(4 * DAY_MS, userId),
      ...others,
      at(DAY_MS, rival),
    );
    await api.vote(at(5 * DAY_MS, rival));
    const leader = '990000000000000001';
    await api.store.guilds.add({ guildId: leader, name: 'Leader', createdAt: clock() });
    const figures = figuresIn(await vote());
    assert.equal(figures['Your votes'], '4');
    assert.equal(figures['Your streak'], '3 days in a row');
    assert.equal(figures['Your rank this month'], '#1 up 1');
    assert.equal(figures['Community rank'], '#1');
    assert.ok(guildId);
  });

  test('the page shows the way to the next rank, in both languages, and the goal, above the way back', async () => {
    const api = await open();
    const rival = '200000000000000900';
    const hours = [1, 2, 3, 4].map((hour) => api.clock() - hour * HOUR_MS);
    await api.vote(...hours.map((at) => ({ userId: rival, at: new Date(at).toISOString() })));
    await api.store.goals.set(api.guildId, { period: 'month', target: 20 }, api.clock());
    const query = `?return_to=${encodeURIComponent('https://play.example.org/')}`;
    const { vote, visitor, path } = await voteAs(api, 'Alex', query);
    const text = await vote();
    const parts = ['has been counted', '3 more votes to rank 1 this month', 'class="goal"', 'data-back'];
    const places = parts.map((part) => text.indexOf(part));
    assert.ok(
      places.every((place, index) => place > (places[index - 1] ?? 0)),
      String(places),
    );
    assert.match(text, /<progress max="4" value="1" aria-labelledby="next-rank">/);
    const { text: french } = await visitor.get(path, { 'accept-language': 'fr' });
    assert.match(french, /Encore 3 votes pour le rang 1 ce mois-ci/);
  });

  test('the tick is animated once, right after the vote', async () => {
    const api = await open();
    const { vote, visitor, path } = await voteAs(api, 'Alex');
    assert.match(await vote(), /class="tick new"/);
    api.clock.advance(MINUTE_MS);
    assert.match((await visitor.get(path)).text, /class="tick"/);
  });

  test('a vote that moves the community up says so', async () => {
    const api = await open();
    const castAt = api.clock();
    // One vote more than any other community of this database, by the same voters.
    const listed = await api.store.listing.read(castAt, '', 1000);
    const most = Math.max(0, ...listed.map(({ votes }) => votes));
    const votes = Array.from({ length: most }, (_, i) => ({
      userId: String(910000000000000000n + BigInt(i)),
      at: new Date(castAt - HOUR_MS - i).toISOString(),
    }));
    if (most > 0) await api.vote(...votes);
    await api.store.guilds.rename(api.guildId, 'zzz');
    api.clock.advance(10 * 60_000);
    const { vote } = await voteAs(api, 'Sam');
    assert.match(figuresIn(await vote())['Community rank'] ?? '', /^#1 up \d+$/);
  });

  test('the return link is the main action, and the community can be shared', async () => {
    const api = await open();
    const { vote } = await voteAs(
      api,
      'Alex',
      `?return_to=${encodeURIComponent('https://play.example.org/')}`,
    );
    const text = await vote();
    assert.match(text, /<a class="button large" href="https:\/\/play\.example\.org\/"/);
    assert.match(text, new RegExp(`readonly value="https://[^"]+/guild/${api.guildId}"`));
  });

  test('the next vote shows whether it counts double', async () => {
    const api = await open();
    await api.store.guilds.setDoubling(api.guildId, 'weekends');
    // Sunday, 23:30 UTC: the next vote is on Monday.
    api.clock.set('2026-11-15T23:30:00.000Z');
    const { vote } = await voteAs(api, 'Alex');
    const text = await vote();
    assert.match(text, /is worth double rewards\. Thank you/);
    assert.doesNotMatch(text, /Votes are worth double rewards right now/);
  });

  test('users appear by name only if they agreed, and can withdraw', async () => {
    const api = await open();
    const { visitor, userId, path, vote } = await voteAs(api, 'Charlie');
    const isShown = async () => (await api.store.users.find([userId])).get(userId)?.showName;
    const text = await vote();
    assert.match(text, /You are anonymous on leaderboards[\s\S]*Show my name/);
    assert.equal(await isShown(), false);
    const submit = async (show: string) =>
      visitor.submit(await visitor.get(path), '/account/name', { show, back: path });
    assert.deepEqual([(await submit('yes')).location, await isShown()], [path, true]);
    assert.match((await visitor.get(path)).text, /You appear as <strong><bdi>Charlie[\s\S]*Hide my name/);
    // Withdrawing is possible before a vote, too.
    api.clock.advance(HOUR_MS);
    assert.match((await visitor.get(path)).text, /Hide my name/);
    assert.equal((await submit('no')).status, 303);
    assert.equal(await isShown(), false);
    assert.doesNotMatch((await visitor.get(path)).text, /Show my name|Hide my name/);
  });

  test('the choice redirects only to pages of this site', async () => {
    const api = await open();
    const { visitor, path } = await voteAs(api, 'Charlie');
    const page = await visitor.get(path);
    const { location } = await visitor.submit(page, '/account/name', {
      show: 'no',
      back: 'https://evil.example/',
    });
    assert.equal(location, '/');
  });
});
