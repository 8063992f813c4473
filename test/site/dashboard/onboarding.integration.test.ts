import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { examplesOf } from '../../../src/site/dashboard/key/examples.ts';
import { issueKey } from '../../../src/store/guilds/guilds.ts';
import { addEndpoint } from '../../store/webhook-fixtures.ts';
import { onSqlite, USER } from '../../support/api.ts';
import { openDashboard } from './open-dashboard.ts';

describe('examples in five languages', () => {
  const examples = examplesOf({ site: 'https://votes.example.org', userId: USER, key: 'vty_x' });

  it('all claim a vote at this site', () => {
    assert.deepEqual(
      examples.map(({ language }) => language),
      ['curl', 'Node.js', 'PHP', 'Python', 'Java'],
    );
    for (const { code } of examples) {
      assert.ok(code.includes(`https://votes.example.org/v7/guild/claims?discord_id=${USER}"`));
      assert.match(code, /POST/);
      assert.match(code, /Authorization(?:"?: |", )"?Bearer vty_x"/);
    }
  });

  it('accept the self-signed certificate of this machine only', () => {
    for (const site of ['https://127.0.0.1:8443', 'https://localhost:8443', 'https://[::1]:8443']) {
      const codes = examplesOf({ site, userId: USER, key: 'x' }).map(({ code }) => code);
      for (const insecure of [/^curl -k /, /VERIFYPEER => false/, /unverified/])
        assert.ok(codes.some((code) => insecure.test(code)));
    }
    for (const { code } of examples) assert.doesNotMatch(code, / -k |VERIFYPEER|unverified/);
  });
});

onSqlite('the first steps', (open) => {
  const stepsIn = (text: string) =>
    [...text.matchAll(/<li class="(done|open)"[^>]*><span[^>]*>[^<]*<\/span><strong>([^<]+)</g)].map(
      ([, state, name]) => `${name}: ${state}`,
    );

  /** The highlighted step: its name and where its button leads. */
  const nextIn = (text: string) => {
    const [, name, , href] =
      /<h2 id="next-step">([^<]+)<([\s\S]*?)<a class="button" href="([^"]+)"/.exec(text) ?? [];
    return name === undefined ? null : [name, href];
  };

  test('lead from one to the next, and disappear when everything is done', async (t) => {
    const { alex, path, store, guildId, get, vote, secrets, clock } = await openDashboard(t, await open());
    const look = async () => (await alex.get(path())).text;
    await store.guilds.setKey(guildId, null);
    assert.deepEqual(nextIn(await look()), ['Generate the API key', path('/key')]);
    const key = await issueKey(store, secrets, guildId, clock());
    assert.deepEqual(nextIn(await look()), ['Send a test vote', path('/key#test-vote')]);
    assert.deepEqual(stepsIn(await look()), [
      'API key: done',
      ...['Test vote', 'Platform', 'First vote', 'Goal'].map((name) => `${name}: open`),
    ]);
    await store.testVotes.send(guildId, clock());
    assert.deepEqual(nextIn(await look()), ['Connect your platform', path('/key#try-it')]);
    const stored = t.mock.method(store.milestones, 'recordRequests');
    for (let i = 0; i < 3; i += 1) await get('/v7/vote-check?external_id=x', { key: key ?? null });
    while (stored.mock.callCount() === 0) await nextTurn();
    assert.deepEqual(stored.mock.calls[0]?.arguments[0], [guildId]);
    await stored.mock.calls[0]?.result;
    assert.deepEqual(nextIn(await look()), ['Share the voting page', path('/share')]);
    await vote({ at: '2026-11-15T11:00:00Z' });
    assert.deepEqual(nextIn(await look()), ['Set a goal', path('/settings#goal-period')]);
    assert.ok((await alex.get(path('/settings'))).text.includes('id="goal-period"'));
    await store.goals.set(guildId, { period: 'day', target: 10 }, clock());
    assert.deepEqual([nextIn(await look()), stepsIn(await look())], [null, []]);
  });

  test('take a webhook for a connected platform, and a claim for a test', async (t) => {
    const { alex, path, store, guildId, vote, send } = await openDashboard(t, await open());
    await addEndpoint(store, guildId);
    assert.ok(stepsIn((await alex.get(path())).text).includes('Platform: done'));
    await vote({ at: '2026-11-15T11:00:00Z' });
    await send('POST', `/v7/guild/claims?discord_id=${USER}`);
    assert.deepEqual(nextIn((await alex.get(path())).text)?.[0], 'Set a goal');
  });

  test('can be dismissed for all admins, and rejected requests do not count', async (t) => {
    const { alex, path, get, store, guildId } = await openDashboard(t, await open());
    await get('/v7/vote-check?external_id=x', { key: 'vty_wrong' });
    const page = await alex.get(path(), { 'accept-language': 'fr' });
    assert.match(page.text, /Prochaine étape · 1 sur 5/);
    const answer = await alex.submit(page, path('/checklist/hide'));
    assert.deepEqual([answer.status, answer.location], [303, path()]);
    assert.deepEqual(stepsIn((await alex.get(path())).text), []);
    assert.equal((await store.milestones.find(guildId)).isChecklistHidden, true);
  });
});

onSqlite('copying the key', (open) => {
  test('sends the key only to the script, and is recorded and limited like revealing it', async (t) => {
    const { alex, path, activities, store, guildId, secrets, clock } = await openDashboard(t, await open());
    const key = await issueKey(store, secrets, guildId, clock());
    const page = await alex.get(path('/key'));
    const answer = await alex.submit(page, path('/key/copy'));
    assert.equal(answer.status, 200);
    assert.match(answer.type, /^application\/json/);
    assert.deepEqual(JSON.parse(answer.text), { key: key ?? null });
    assert.deepEqual(await activities(), [['Alex', 'key_copied']]);
    for (let i = 1; i < 60; i += 1) await alex.submit(page, path('/key/copy'));
    for (const action of ['copy', 'reveal'])
      assert.equal((await alex.submit(page, path(`/key/${action}`))).status, 429);
  });

  test('requires the form token and a key', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    assert.equal((await alex.post(path('/key/copy'), {})).status, 403);
    const page = await alex.get(path('/key'));
    await store.guilds.setKey(guildId, null);
    assert.equal((await alex.submit(page, path('/key/copy'))).status, 404);
    assert.deepEqual(await activities(), []);
  });
});
