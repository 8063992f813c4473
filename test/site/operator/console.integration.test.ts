import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { MARK_BITS } from '../../../src/domain/votes/marks.ts';
import { type Api, NOW, onSqlite, USER } from '../../support/api.ts';
import { newVisitor, type Visitor } from '../visitor.ts';

async function enter({ app }: Api, name = 'Alex'): Promise<Visitor> {
  const visitor = newVisitor(app);
  await visitor.signIn(name);
  return visitor;
}

/** Who did what, newest first. */
async function log({ store }: Api, entries: number) {
  const found = await store.audit.recent(null, entries);
  return found.map(({ actor, action, guildId, detail }) => [actor?.name, action, guildId, detail]);
}

async function castMarked({ store, clock, guildId }: Api, externalId: string | null = 'Steve_42') {
  const vote = { guildId, userId: USER, castAt: clock(), externalId, isDoubled: false };
  const network = { hash: `network of ${guildId}`, maxAccounts: 9, busyFrom: 1 };
  await store.votes.cast(vote, { marks: MARK_BITS.young_account, network });
  return vote;
}

onSqlite('the operator console', (open) => {
  test('is for the users in VOTARY_OPERATORS: others get an explanation, and nobody is redirected to sign in', async () => {
    const api = await open();
    for (const name of ['Sam', 'Charlie']) {
      const { status, text } = await (await enter(api, name)).get('/operator');
      assert.equal(status, 403);
      assert.match(text, /for the operators of this site/);
    }
    const { status, location } = await newVisitor(api.app).get('/operator/log');
    assert.deepEqual([status, location], [303, '/sign-in?back=%2Foperator%2Flog']);
  });

  test('is linked from the header of every page for operators, and for nobody else', async () => {
    const api = await open();
    const hasLink = async (visitor: Visitor) => (await visitor.get('/')).text.includes('href="/operator"');
    assert.equal(await hasLink(await enter(api)), true);
    assert.equal(await hasLink(await enter(api, 'Sam')), false);
    assert.equal(await hasLink(newVisitor(api.app)), false);
  });

  test('has pages in both languages', async () => {
    const api = await open();
    await castMarked(api);
    const alex = await enter(api);
    const pages = [
      '',
      '/communities',
      `/communities/${api.guildId}`,
      '/unusual',
      '/voided',
      '/bans',
      '/tokens',
      '/log',
    ];
    const titles = async (pattern: RegExp) => {
      for (const page of pages) {
        const { status, text } = await alex.get(`/operator${page}`);
        assert.equal(status, 200, page);
        assert.match(text, pattern, page);
      }
    };
    await titles(/<h1>Operator console<\/h1>/);
    await alex.get('/locale?to=fr&back=/');
    await titles(/<h1>Administration du site<\/h1>/);
  });

  test('renames, unlists and sanctions a community, sets its Premium, and logs who did it', async () => {
    const api = await open();
    const { store, guildId, clock } = api;
    const alex = await enter(api);
    const path = `/operator/communities/${guildId}`;
    const before = await store.guilds.find(guildId);
    const send = async (form: string, fields: Record<string, string>) => {
      const answer = await alex.submit(await alex.get(path), `${path}/${form}`, fields);
      assert.deepEqual([answer.status, answer.location], [303, `${path}?done=saved`]);
    };
    await send('rename', { name: 'Our New Name' });
    await send('listing', { unlisted: 'on' });
    await send('premium', { until: '2030-01-01T12:00' });
    await send('sanction', { reason: 'bought votes' });
    const until = Date.parse('2030-01-01T12:00:00.000Z');
    assert.deepEqual(await store.guilds.find(guildId), {
      ...before,
      name: 'Our New Name',
      unlistedAt: clock(),
      premiumUntil: until,
      sanction: { since: clock(), reason: 'bought votes' },
    });
    assert.match((await alex.get(path)).text, /Sanctioned since.*bought votes/s);
    await send('sanction', { lift: 'on' });
    await send('listing', {});
    await send('premium', { until: '' });
    assert.deepEqual(await store.guilds.find(guildId), { ...before, name: 'Our New Name' });
    assert.deepEqual((await log(api, 7)).map(([who, action]) => [who, action]).reverse(), [
      ['Alex', 'guild_renamed'],
      ['Alex', 'guild_unlisted'],
      ['Alex', 'premium_changed'],
      ['Alex', 'sanction_added'],
      ['Alex', 'sanction_lifted'],
      ['Alex', 'guild_relisted'],
      ['Alex', 'premium_changed'],
    ]);
    const { text } = await alex.get('/operator/log');
    assert.match(text, /Renamed a community.*Our New Name/s);
    const bad = await alex.submit(await alex.get(path), `${path}/rename`, { name: ' \u0007' });
    assert.equal(bad.status, 400);
    assert.equal((await alex.get('/operator/communities/499999999999999999')).status, 404);
  });

  test('an unlisted community is not on the home page, but its voting page works', async () => {
    const api = await open();
    const { store, guildId, clock } = api;
    await store.guilds.rename(guildId, 'Hidden Place');
    const visitor = newVisitor(api.app);
    const listed = async () =>
      (await visitor.get('/?search=hidden+place')).text.includes(`/guild/${guildId}/vote`);
    clock.advance(DAY_MS);
    assert.equal(await listed(), true);
    await store.guilds.setUnlisted(guildId, clock());
    clock.advance(DAY_MS);
    assert.equal(await listed(), false);
    assert.equal((await visitor.get(`/guild/${guildId}/vote`)).status, 200);
    assert.equal((await api.get('/v7/vote-check?discord_id=200000000000000001')).status, 200);
  });

  test('shows unusual votes of all communities, never networks, and voids them after confirmation', async () => {
    const api = await open();
    const { store, guildId } = api;
    const vote = await castMarked(api);
    const alex = await enter(api);
    const list = await alex.get('/operator/unusual?mark=young_account');
    assert.match(list.text, new RegExp(`${USER}.*Steve_42.*Young account.*Busy network`, 's'));
    assert.doesNotMatch(list.text, /network of/);
    const link = new RegExp(`href="(/operator/void\\?guild_id=${guildId}[^"]*)"`).exec(list.text)?.[1] ?? '';
    const confirmation = await alex.get(link.replaceAll('&amp;', '&'));
    assert.equal(confirmation.status, 200);
    assert.doesNotMatch(confirmation.text, /network of/);
    // Nothing is voided that was not chosen.
    assert.doesNotMatch(confirmation.text, / checked/);
    for (const which of ['user', 'vote', 'name', 'network']) {
      assert.match(confirmation.text, new RegExp(`value="${which}".*1 vote`, 's'));
      const fields = { guild_id: guildId, user_id: USER, at: String(vote.castAt), which, reason: 'a farm' };
      const answer = await alex.submit(confirmation, '/operator/void', fields);
      assert.deepEqual([answer.status, answer.location], [303, '/operator/voided?done=voided'], which);
      assert.equal(
        await store.votes.latestOfUser(guildId, USER, { after: 0, until: vote.castAt }),
        undefined,
      );
      const [entry] = await store.operator.batches(null, 1);
      assert.deepEqual([entry?.guildId, entry?.votes, entry?.reason], [guildId, 1, 'a farm']);
      const voided = await alex.get('/operator/voided');
      const restored = await alex.submit(voided, `/operator/voided/${entry?.batch}/restore`);
      assert.equal(restored.location, '/operator/voided?done=restored');
      assert.ok(await store.votes.latestOfUser(guildId, USER, { after: 0, until: vote.castAt }));
      api.clock.advance(1);
    }
    const [last] = await log(api, 1);
    assert.deepEqual(last?.slice(0, 3), ['Alex', 'votes_restored', guildId]);
  });

  test('counts the votes of the selected days before they are voided', async () => {
    const api = await open();
    const { guildId } = api;
    await api.vote({ at: '2026-11-01T12:00:00.000Z' }, { at: '2026-11-02T12:00:00.000Z' });
    const alex = await enter(api);
    const path = `/operator/void?guild_id=${guildId}&user_id=${USER}&at=${Date.parse('2026-11-02T12:00:00.000Z')}`;
    const counted = async (days: string) => {
      const { text } = await alex.get(path + days);
      return [...text.matchAll(/value="(vote|user)" required.*?(\d+) votes?</gs)].map(([, choice, votes]) => [
        choice,
        votes,
      ]);
    };
    assert.deepEqual(await counted(''), [
      ['vote', '1'],
      ['user', '2'],
    ]);
    assert.deepEqual(await counted('&from=2026-11-02'), [
      ['vote', '1'],
      ['user', '1'],
    ]);
    const { text } = await alex.get(`${path}&from=2026-11-02`);
    assert.match(text, /<input type="hidden" name="from" value="2026-11-02">/);
    assert.match((await alex.get(`${path}&from=2026-11-03&to=2026-11-02`)).text, /id="period-error"/);
  });

  test('voids only votes of the selected days', async () => {
    const api = await open();
    const { store, guildId } = api;
    await api.vote({ at: '2026-11-01T12:00:00.000Z' }, { at: '2026-11-02T12:00:00.000Z' });
    const alex = await enter(api);
    const fields = {
      guild_id: guildId,
      user_id: USER,
      at: String(Date.parse('2026-11-02T12:00:00.000Z')),
      which: 'user',
    };
    const page = await alex.get('/operator/bans');
    const send = (days: Record<string, string>) =>
      alex.submit(page, '/operator/void', { ...fields, ...days });
    assert.equal((await send({ from: '2026-11-03', to: '2026-11-02' })).status, 400);
    assert.equal((await send({ from: '2026-02-30' })).status, 400);
    assert.equal((await send({ from: '2026-11-03' })).location, '/operator/voided?done=nothing-voided');
    assert.equal(
      (await send({ from: '2026-11-02', to: '2026-11-02' })).location,
      '/operator/voided?done=voided',
    );
    const left = await Array.fromAsync(store.votes.export(guildId, { from: 0, to: Date.parse(NOW) }));
    assert.deepEqual(
      left.map(({ castAt }) => castAt),
      [Date.parse('2026-11-01T12:00:00.000Z')],
    );
    assert.equal((await send({})).status, 404);
  });

  test('bans a voter after confirmation, and lifts the ban', async () => {
    const api = await open();
    const { store, clock } = api;
    const alex = await enter(api);
    // Later than the actions of other tests.
    clock.advance(DAY_MS);
    const userId = '200000000000000777';
    assert.match((await alex.get('/operator/ban?user_id=Steve')).text, /15 to 20 digits/);
    const confirmation = await alex.get(`/operator/ban?user_id=${userId}`);
    assert.match(confirmation.text, /Ban this voter\?/);
    const past = { user_id: userId, until: '2020-01-01' };
    assert.match((await alex.submit(confirmation, '/operator/bans', past)).text, /must be in the future/);
    const fields = {
      user_id: userId,
      until: '2026-12-01',
      reason: 'scripts',
      public_reason: 'Automated votes',
    };
    const answer = await alex.submit(confirmation, '/operator/bans', fields);
    assert.equal(answer.location, '/operator/bans?done=banned');
    const until = Date.parse('2026-12-01T00:00:00.000Z');
    assert.deepEqual(await store.moderation.findBan(userId, clock()), {
      userId,
      since: clock(),
      until,
      reason: 'scripts',
      publicReason: 'Automated votes',
    });
    const list = await alex.get('/operator/bans');
    assert.match(list.text, new RegExp(`${userId}.*scripts`, 's'));
    await alex.submit(list, `/operator/bans/${userId}/lift`);
    assert.equal(await store.moderation.findBan(userId, clock()), undefined);
    assert.deepEqual(
      (await log(api, 2)).map(([who, action]) => [who, action]),
      [
        ['Alex', 'voter_unbanned'],
        ['Alex', 'voter_banned'],
      ],
    );
  });

  test('counts votes, sign-ins and failing webhooks', async () => {
    const api = await open();
    const { store, guildId, clock } = api;
    clock.advance(40 * DAY_MS);
    const sam = await enter(api, 'Sam');
    await sam.submit(await sam.get(`/guild/${guildId}/vote`), `/guild/${guildId}/vote`);
    const alex = await enter(api);
    const endpoint = {
      guildId,
      endpointId: 'ep_1',
      name: null,
      destination: { kind: 'https' as const },
      url: 'https://hook.example/secret-path',
    };
    await store.webhooks.addEndpoint(
      { ...endpoint, events: ['vote_received'], secrets: { current: 's', previous: null }, createdAt: 0 },
      5,
    );
    await store.webhooks.disableEndpoint(guildId, 'ep_1', clock(), 'failing');
    const { text } = await alex.get('/operator');
    const row = (name: string) =>
      new RegExp(`<th scope="row">${name}</th><td class="number">(\\d+)</td>`).exec(text)?.[1];
    assert.deepEqual([row('Votes cast'), row('Sign-ins')], ['1', '2']);
    const community = (await store.guilds.find(guildId))?.name;
    assert.match(
      text,
      new RegExp(
        `<a href="/operator/communities/${guildId}"><bdi>${community}</bdi></a></td><td>Webhook · <bdi class="mono">hook.example</bdi>`,
      ),
    );
    assert.doesNotMatch(text, /secret-path|ep_1/);
  });
});
