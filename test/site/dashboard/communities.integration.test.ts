import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';
import { openDashboard } from './open-dashboard.ts';

onSqlite('the list of my communities', (open) => {
  test('requires sign-in', async (t) => {
    const { app } = await openDashboard(t, await open());
    const { status, location } = await newVisitor(app).get('/dashboard');
    assert.deepEqual([status, location], [303, '/sign-in?back=%2Fdashboard']);
  });

  test('links to listed communities and offers to list the others', async (t) => {
    const { alex, guildsOfAlex, guildId, otherGuildId } = await openDashboard(t, await open());
    guildsOfAlex.push({ guildId: otherGuildId, name: '<b>Second</b>' });
    const { text } = await alex.get('/dashboard');
    assert.ok(text.includes(`href="/dashboard/${guildId}"`));
    assert.ok(text.includes(`action="/dashboard/${otherGuildId}/list"`));
    assert.ok(text.includes('&#60;b&#62;Second&#60;/b&#62;'));
    assert.doesNotMatch(text, /<b>Second/);
  });

  test('says what to do if there is none', async (t) => {
    const { sam } = await openDashboard(t, await open());
    const { status, text } = await sam.get('/dashboard');
    assert.equal(status, 200);
    assert.match(text, /Ask the owner of your server for the Administrator permission/);
    assert.match(text, /<meta name="description" content="[^"]+">/);
  });

  test('lists a community with one click, with its name on Discord', async (t) => {
    const { charlie, otherGuildId, store, clock, activities } = await openDashboard(t, await open());
    const answer = await charlie.submit(await charlie.get('/dashboard'), `/dashboard/${otherGuildId}/list`);
    assert.deepEqual([answer.status, answer.location], [303, `/dashboard/${otherGuildId}?done=listed`]);
    const guild = await store.guilds.find(otherGuildId);
    assert.deepEqual([guild?.name, guild?.createdAt], ['Another guild', clock()]);
    assert.deepEqual(await activities(otherGuildId), [['Charlie', 'guild_listed']]);
    assert.match((await charlie.get(answer.location ?? '')).text, /Your community is listed/);
  });

  test('a second click on the same button changes nothing', async (t) => {
    const { alex, guildId, store, activities } = await openDashboard(t, await open());
    const before = await store.guilds.find(guildId);
    const answer = await alex.submit(await alex.get('/dashboard'), `/dashboard/${guildId}/list`);
    assert.deepEqual([answer.status, answer.location], [303, `/dashboard/${guildId}`]);
    assert.deepEqual(await store.guilds.find(guildId), before);
    assert.deepEqual(await activities(), []);
  });
});
