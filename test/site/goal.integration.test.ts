import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { ago, OTHER_USER, onSqlite, USER } from '../support/api.ts';
import { newVisitor } from './visitor.ts';

const FRENCH = { 'accept-language': 'fr' };

onSqlite('the progress of a goal', (open) => {
  test('is on the profile and the voting page, in both languages', async () => {
    const api = await open();
    const visitor = newVisitor(api.app);
    const pages = [`/guild/${api.guildId}`, `/guild/${api.guildId}/vote`];
    for (const page of pages) assert.doesNotMatch((await visitor.get(page)).text, /class="goal"/);
    await api.vote({ userId: USER, at: ago(MINUTE_MS) }, { userId: OTHER_USER, at: ago(MINUTE_MS) });
    await api.store.goals.set(api.guildId, { period: 'week', target: 1500 }, api.clock());
    for (const page of pages) {
      const { text } = await visitor.get(page);
      assert.match(text, /Goal for this week/);
      assert.match(text, /2 \/ 1,500/);
      assert.match(text, /<progress max="1500" value="2" aria-labelledby="goal">/);
      assert.match(text, /1,498 more votes to go\. Counted until <time datetime="2026-11-16T00:00:00.000Z">/);
      assert.match((await visitor.get(page, FRENCH)).text, /Objectif de la semaine.*Plus que 1\s498 votes/s);
    }
    await api.store.goals.set(api.guildId, { period: 'day', target: 2 }, api.clock());
    assert.match((await visitor.get(pages[0] ?? '')).text, /Goal reached\. Thank you!/);
  });

  test('of a vote party has no end', async () => {
    const api = await open();
    await api.store.goals.set(api.guildId, { period: 'party', target: 50 }, api.clock());
    const { text } = await newVisitor(api.app).get(`/guild/${api.guildId}/vote`);
    assert.match(text, /Next vote party/);
    assert.match(text, /50 more votes to go\.<\/p>/);
  });

  test('is on the badge if the address asks for it, and on the card', async () => {
    const api = await open();
    const image = async (path: string) => {
      api.clock.advance(6 * MINUTE_MS);
      return api.app.inject({ url: `/guild/${api.guildId}${path}` });
    };
    const badge = async (query: string) => (await image(`/badge.svg${query}`)).payload;
    assert.match(await badge('?show=goal'), /0 votes this month/);
    const card = (await image('/card.png')).rawPayload;
    await api.vote({ userId: USER, at: ago(MINUTE_MS) });
    await api.store.goals.set(api.guildId, { period: 'month', target: 4 }, api.clock());
    assert.match(await badge('?show=goal'), /height="3".*>1 \/ 4 votes this month</s);
    assert.match(await badge('?show=goal&locale=fr'), />1 \/ 4 votes du mois</);
    assert.match(await badge(''), />1 vote this month</);
    const withGoal = await image('/card.png');
    assert.equal(withGoal.statusCode, 200);
    assert.notDeepEqual(withGoal.rawPayload, card);
  });
});
