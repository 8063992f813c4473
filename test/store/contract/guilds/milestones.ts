import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimRequest } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, USER, voteOf } from '../../fixtures.ts';

export function milestoneContract(subject: Subject): void {
  test('milestones are stored once, and belong to their guild', async () => {
    const { store } = subject;
    const { milestones } = store;
    const [guildId, neighbour] = [await addGuild(store), await addGuild(store)];
    const none = { firstRequestAt: null, hasClaims: false, isChecklistHidden: false };
    assert.deepEqual(await milestones.find(guildId), none);
    await milestones.hideChecklist(guildId, NOW);
    for (const at of [NOW + 1, NOW + 2]) await milestones.recordRequests([guildId], at);
    await store.votes.cast(voteOf(guildId, { castAt: NOW }));
    await store.claims.claim(claimRequest(guildId, { userId: USER }, { now: NOW + 3 }));
    const all = { firstRequestAt: NOW + 1, hasClaims: true, isChecklistHidden: true };
    assert.deepEqual(await milestones.find(guildId), all);
    assert.deepEqual(await milestones.find(neighbour), none);
    await store.guilds.remove(guildId);
    await milestones.hideChecklist(guildId, NOW);
    await milestones.recordRequests([guildId], NOW);
    assert.deepEqual(await milestones.find(guildId), none);
  });
}
