import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { NO_PROFILE } from '../../../src/domain/guild.ts';
import { type Api, onSqlite } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';

/** Tags that no other test uses: the listing has the communities of all tests. */
const TAGS = ['others-a', 'others-b'];

async function addGuild({ store, clock }: Api, guildId: string, tags: string[]): Promise<string> {
  await store.guilds.add({ guildId, name: `Other ${guildId.slice(-2)}`, createdAt: clock() });
  await store.profiles.set(guildId, { ...NO_PROFILE, tags });
  return guildId;
}

function othersIn(text: string): string[] {
  return [...text.matchAll(/class="vote-other" href="([^"]+)"/g)].map(([, href = '']) => href);
}

onSqlite('other communities, after a vote', (open) => {
  test('share tags, are listed, and neither this one nor one with a recent vote', async () => {
    const api = await open();
    const { store, guildId, clock, app } = api;
    await store.profiles.set(guildId, { ...NO_PROFILE, tags: TAGS });
    const ids = Array.from({ length: 6 }, (_, i) => String(980000000000000001n + BigInt(i)));
    const [both = '', one = '', hidden = '', suspended = '', voted = '', later = ''] = ids;
    await addGuild(api, one, ['others-a']);
    for (const id of [both, hidden, suspended, voted, later]) await addGuild(api, id, TAGS);
    await store.guilds.setHidden(hidden, clock());
    clock.advance(MINUTE_MS);
    const visitor = newVisitor(app);
    const userId = await visitor.signIn('Alex');
    await store.votes.cast({ guildId: voted, userId, castAt: clock(), externalId: null, isDoubled: false });
    const path = `/guild/${guildId}/vote?external_id=Steve_42&return_to=https%3A%2F%2Fplay.example.org%2F`;
    const before = await visitor.get(path);
    assert.deepEqual(othersIn(before.text), [], 'before the vote, nothing distracts from it');
    await visitor.submit(before, path);
    await visitor.get(path);
    // After the listing was read.
    await store.guilds.setSanction(suspended, { since: clock(), reason: null });
    const { text } = await visitor.get(path);
    const expected = [both, later, one].map((id) => `/guild/${id}/vote`);
    assert.deepEqual(othersIn(text), expected);
  });
});
