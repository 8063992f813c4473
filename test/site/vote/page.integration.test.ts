import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { onSqlite } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';

onSqlite('the voting page', (open) => {
  test('signed-out visitors are asked to sign in, and return to the same link', async () => {
    const { app, guildId } = await open();
    const path = `/guild/${guildId}/vote?external_id=Steve_42&return_to=${encodeURIComponent('https://play.example.org/')}`;
    const { status, text } = await newVisitor(app).get(path);
    assert.equal(status, 200);
    assert.match(text, /Voting as <strong><bdi>Steve_42<\/bdi><\/strong> for <strong><bdi>/);
    assert.match(text, /leads back to <strong><bdi>play\.example\.org<\/bdi>/);
    assert.ok(text.includes(`href="/sign-in?back=${encodeURIComponent(path)}"`));
    assert.doesNotMatch(text, /method="post"/);
  });

  test('one click casts a vote, and the page then shows when the next vote is possible', async () => {
    const { app, guildId, store, clock } = await open();
    const visitor = newVisitor(app);
    const userId = await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote?external_id=Steve_42`;
    const answer = await visitor.submit(await visitor.get(path), path);
    assert.deepEqual([answer.status, answer.location], [303, path]);
    const window = { after: clock() - 1, until: clock() };
    assert.deepEqual(await store.votes.latestOfExternalId(guildId, 'Steve_42', window), {
      guildId,
      userId,
      castAt: clock(),
      externalId: 'Steve_42',
      isDoubled: false,
    });

    clock.advance(18 * MINUTE_MS);
    const { text } = await visitor.get(path);
    assert.match(text, /Your vote has been counted/);
    assert.match(text, /1 vote this month/);
    assert.match(text, /data-time>42 minutes</);
    assert.match(
      text,
      /<time datetime="2026-11-15T13:00:00.000Z" data-until="2520">in 42 min \(1:00\sPM UTC\)<\/time>/,
    );
  });

  test('the API returns a vote as soon as the page has confirmed it', async () => {
    const { app, guildId, get } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote?external_id=Steve_42`;
    await visitor.submit(await visitor.get(path), path);
    const { body } = await get('/v7/vote-check?external_id=Steve_42');
    assert.deepEqual([body.has_voted, body.last_vote_at], [true, '2026-11-15T12:00:00.000Z']);
  });

  test('a second vote within the hour is not an error: the page shows the countdown, and only one vote is stored', async () => {
    const { app, guildId, store, clock } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote`;
    const page = await visitor.get(path);
    const answers = await Promise.all([1, 2, 3, 4].map(() => visitor.submit(page, path)));
    assert.deepEqual(
      answers.map(({ status, location }) => [status, location]),
      Array(4).fill([303, path]),
    );
    const period = { from: clock() - 1, to: clock() + 1 };
    assert.equal(await store.votes.count({ guildId, userId: null, period }), 1);
  });

  test('the next vote is offered at exactly one hour', async () => {
    const { app, guildId, clock } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote`;
    await visitor.submit(await visitor.get(path), path);
    clock.advance(60 * MINUTE_MS - 1);
    assert.match((await visitor.get(path)).text, /data-countdown="1"/);
    clock.advance(1);
    const { text } = await visitor.get(path);
    assert.doesNotMatch(text, /data-countdown/);
    assert.match(text, /<button class="large">Vote<\/button>/);
  });

  test('a vote for one community does not affect others', async () => {
    const [one, other] = [await open(), await open()];
    const visitor = newVisitor(one.app);
    await visitor.signIn('Alex');
    const path = `/guild/${one.guildId}/vote`;
    await visitor.submit(await visitor.get(path), path);
    assert.doesNotMatch((await visitor.get(`/guild/${other.guildId}/vote`)).text, /data-countdown/);
  });

  test('a vote under another name is not shown as one for the name in the link', async () => {
    const { app, guildId } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote?external_id=Steve_42`;
    await visitor.submit(await visitor.get(path), path);
    const other = await visitor.get(`/guild/${guildId}/vote?external_id=Notch`);
    assert.match(
      other.text,
      /counted for <strong><bdi>Steve_42<\/bdi><\/strong>, not for the name in this link/,
    );
    assert.doesNotMatch((await visitor.get(path)).text, /not for the name/);
  });

  test('a community whose votes count double says so before and after the vote', async () => {
    const { app, guildId, store } = await open();
    await store.guilds.setDoubling(guildId, 'always');
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote`;
    const page = await visitor.get(path);
    assert.match(page.text, /Votes are worth double rewards right now/);
    await visitor.submit(page, path);
    assert.match((await visitor.get(path)).text, /is worth double rewards/);
  });

  test('the return link is shown after the vote, with its host', async () => {
    const { app, guildId } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote?return_to=${encodeURIComponent('https://play.example.org/shop?a=1&b=2')}`;
    const page = await visitor.get(path);
    assert.doesNotMatch(page.text, /Back to play/);
    const { location } = await visitor.submit(page, path);
    assert.equal(location, path);
    assert.match(
      (await visitor.get(path)).text,
      /href="https:\/\/play\.example\.org\/shop\?a=1&#38;b=2" rel="noopener" data-back>Back to play\.example\.org</,
    );
  });

  test('in the demo the return link can lead to a program on this machine', async () => {
    const { app, guildId } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Sam');
    const path = `/guild/${guildId}/vote?return_to=${encodeURIComponent('http://localhost:3000/thanks')}`;
    await visitor.submit(await visitor.get(path), path);
    assert.match((await visitor.get(path)).text, /href="http:\/\/localhost:3000\/thanks"/);
    assert.equal((await visitor.get(path, { 'x-forwarded-for': '198.51.100.7' })).status, 400);
  });

  test('French visitors get French pages', async () => {
    const { app, guildId } = await open();
    const visitor = newVisitor(app, { 'accept-language': 'fr-CA' });
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote?external_id=Steve_42`;
    const page = await visitor.get(path);
    assert.match(page.text, /<html lang="fr">[\s\S]*>Voter<\/button>[\s\S]*Vous votez en tant que /);
    await visitor.submit(page, path);
    assert.match(
      (await visitor.get(path)).text,
      /Votre vote est enregistré[\s\S]*60 minutes[\s\S]*13:00 UTC/,
    );
    // Changing the language keeps the link.
    assert.ok(page.text.includes(`href="/locale?to=en&amp;back=${encodeURIComponent(path)}"`));
  });
});
