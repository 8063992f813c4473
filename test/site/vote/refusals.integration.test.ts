import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { onSqlite } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';

onSqlite('what the voting page refuses', (open) => {
  test('an unknown, mistyped or sanctioned community has a page that says so', async () => {
    const { app, guildId, store, clock } = await open();
    await store.guilds.setSanction(guildId, { since: clock(), reason: 'bots' });
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    for (const id of [guildId, '999999999999999999', 'abc', '1', `${guildId}%00`, '%zz', '%3Cscript%3E']) {
      const { status, text } = await visitor.get(`/guild/${id}/vote`);
      assert.equal(status, 404, id);
      assert.match(text, /Community not found/);
      assert.doesNotMatch(text, /<script>|bots/);
    }
  });

  test('a link whose name is not percent-encoded UTF-8 has an error page, and no vote is cast under it', async () => {
    const { app, guildId, store, clock } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote`;
    const page = await visitor.get(path);
    for (const name of ['caf%E9', '%zz', '100%']) {
      const { status, text } = await visitor.get(`${path}?external_id=${name}`);
      assert.equal(status, 400, name);
      assert.match(text, /This vote link is not valid/);
      assert.equal((await visitor.submit(page, `${path}?external_id=${name}`)).status, 400);
    }
    assert.equal((await visitor.get(`${path}?external_id=caf%C3%A9`)).status, 200);
    const period = { from: clock() - 1, to: clock() + 1 };
    assert.equal(await store.votes.count({ guildId, userId: null, period }), 0);
  });

  test('a sanctioned community accepts no vote from a page that was open before', async () => {
    const { app, guildId, store, clock } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote`;
    const page = await visitor.get(path);
    await store.guilds.setSanction(guildId, { since: clock(), reason: null });
    assert.equal((await visitor.submit(page, path)).status, 404);
    const period = { from: clock() - 1, to: clock() + 1 };
    assert.equal(await store.votes.count({ guildId, userId: null, period }), 0);
  });

  test('during maintenance the page shows the message of the operator, and no vote is cast', async () => {
    const { app, guildId, store, clock } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote`;
    const page = await visitor.get(path);
    await store.maintenance.begin({ since: clock(), message: 'Back at 18:00 <UTC>' });
    clock.advance(1000);
    for (const refused of [
      await visitor.submit(page, path),
      await visitor.get(path),
      await newVisitor(app).get(path),
    ]) {
      assert.equal(refused.status, 503);
      assert.match(
        refused.text,
        /No votes for the moment.*Back at 18:00 &#60;UTC&#62;.*try again in 5 minutes/s,
      );
    }
    assert.match((await visitor.get(path, { 'accept-language': 'fr' })).text, /Pas de votes pour le moment/);
    assert.equal((await visitor.get(`/guild/${guildId}`)).status, 200);
    const period = { from: clock() - 10_000, to: clock() + 1 };
    assert.equal(await store.votes.count({ guildId, userId: null, period }), 0);
    const console = await visitor.get('/operator');
    assert.match(console.text, /Votes have been refused since.*Back at 18:00/s);
    await store.maintenance.end();
    clock.advance(1000);
    assert.equal((await visitor.submit(page, path)).status, 303);
  });

  test('a banned voter is told so before voting, in both languages, and casts no vote until the ban ends', async () => {
    const { app, guildId, store, clock } = await open();
    const visitor = newVisitor(app);
    const userId = await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote?return_to=https://play.example.org/shop`;
    const page = await visitor.get(path);
    const votes = () => store.votes.count({ guildId, userId: null, period: { from: 0, to: clock() + 1 } });
    const ban = { userId, since: clock(), reason: 'scripts', publicReason: 'Automated <votes>' };
    await store.moderation.ban({ ...ban, until: clock() + 3 * DAY_MS });
    const [shown, refused] = [await visitor.get(path), await visitor.submit(page, path)];
    assert.deepEqual([shown.status, refused.status], [200, 403]);
    for (const { text } of [shown, refused]) {
      assert.match(text, /banned your account from voting\. You can vote again <time datetime="2026-/);
      assert.match(text, /Reason: <bdi>Automated &#60;votes&#62;<\/bdi>/);
      assert.match(text, /href="https:\/\/play\.example\.org\/shop"[^>]*>Back to play\.example\.org/);
      assert.match(text, /contact the operator of this site/);
      assert.doesNotMatch(text, /scripts|class="vote-form"/);
    }
    await visitor.get('/locale?to=fr&back=/');
    assert.match((await visitor.get(path)).text, /exclu votre compte des votes\. Vous pourrez revoter <time/);
    await store.moderation.ban({ ...ban, until: null, publicReason: null });
    assert.doesNotMatch((await visitor.submit(page, path)).text, /revoter|Motif/);
    assert.equal(await votes(), 0);
    await store.moderation.unban(userId, clock());
    assert.equal((await visitor.submit(page, path)).status, 303);
    assert.equal(await votes(), 1);
  });

  test('a voter whose vote was voided sees when the next one is possible', async () => {
    const { app, guildId, store, clock } = await open();
    const visitor = newVisitor(app);
    const userId = await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote`;
    assert.equal((await visitor.submit(await visitor.get(path), path)).status, 303);
    const period = { from: 0, to: clock() + 1 };
    const batch = { batch: 'void_1', reason: null, voidedAt: clock() };
    await store.moderation.void({ guildId, selection: { userId }, period, ...batch });
    clock.advance(20 * MINUTE_MS);
    const page = await visitor.get(path);
    const refused = await visitor.submit(page, path);
    assert.deepEqual([page.status, refused.status], [200, 403]);
    for (const { text } of [page, refused]) {
      assert.match(text, /Your last vote no longer counts/);
      assert.match(text, /13:00/);
      assert.match(text, /data-countdown="2400"/);
      assert.doesNotMatch(text, /has been counted/);
    }
    clock.advance(40 * MINUTE_MS);
    const later = await visitor.get(path);
    assert.doesNotMatch(later.text, /data-countdown|voided/);
    assert.equal((await visitor.submit(later, path)).status, 303);
  });

  test('a vote for a community that is being removed gets an error page', async (t) => {
    const { app, guildId, store } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote`;
    const page = await visitor.get(path);
    const { find } = store.guilds;
    t.mock.method(store.guilds, 'find', async (id: string) => {
      const guild = await find(id);
      await store.guilds.remove(id);
      return guild;
    });
    const { status, text } = await visitor.submit(page, path);
    assert.equal(status, 404);
    assert.match(text, /Community not found/);
  });

  test('a link with an invalid name or return address gets a page that explains the error, for reading and for voting', async () => {
    const { app, guildId } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const page = await visitor.get(`/guild/${guildId}/vote`);
    const wrong: [query: string, words: RegExp][] = [
      ['external_id=', /1 to 191 characters/],
      [`external_id=${'x'.repeat(192)}`, /1 to 191 characters/],
      ['external_id=a%00b', /1 to 191 characters/],
      ['external_id=a%09b', /without control characters/],
      ['external_id=a%0D%0Ab', /without control characters/],
      ['external_id=%C2%85', /without control characters/],
      ['external_id=a%E2%80%AEb', /without control characters/],
      ['external_id=a&external_id=b', /1 to 191 characters/],
      ['return_to=http://play.example.org', /complete https:\/\/ URL/],
      ['return_to=javascript:alert(1)', /complete https:\/\/ URL/],
    ];
    for (const [query, words] of wrong) {
      const path = `/guild/${guildId}/vote?${query}`;
      for (const answer of [await visitor.get(path), await visitor.submit(page, path)]) {
        assert.equal(answer.status, 400, query);
        assert.match(answer.text, words);
      }
    }
  });

  test('a vote without the form token is rejected, and nothing is stored', async () => {
    const { app, guildId, store, clock } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote`;
    for (const fields of [{}, { _csrf: '' }, { _csrf: 'made up' }]) {
      const { status, text } = await visitor.post(path, fields);
      assert.equal(status, 403);
      assert.match(text, /has expired/);
    }
    const period = { from: clock() - 1, to: clock() + 1 };
    assert.equal(await store.votes.count({ guildId, userId: null, period }), 0);
  });

  test('a token of one user cannot vote for another', async () => {
    const { app, guildId } = await open();
    const [alex, sam] = [newVisitor(app), newVisitor(app)];
    await alex.signIn('Alex');
    await sam.signIn('Sam');
    const path = `/guild/${guildId}/vote`;
    await sam.get(path);
    assert.equal((await sam.submit(await alex.get(path), path)).status, 403);
  });

  test('a vote after the session ended leads to the sign-in and back to the link', async () => {
    const { app, guildId } = await open();
    const path = `/guild/${guildId}/vote?external_id=Steve_42`;
    const { status, location } = await newVisitor(app).post(path, {});
    assert.deepEqual([status, location], [303, `/sign-in?back=${encodeURIComponent(path)}`]);
  });
});
