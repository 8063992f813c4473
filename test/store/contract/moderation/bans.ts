import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import type { AuditEntry } from '../../../../src/store/moderation/audit.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, OTHER_USER, USER, voteOf, votesOf } from '../../fixtures.ts';

export function banContract(subject: Subject): void {
  test('a banned user cannot vote anywhere until the ban ends or is lifted', async () => {
    const { store } = subject;
    const guilds = [await addGuild(store), await addGuild(store)];
    const ban = {
      userId: USER,
      since: NOW,
      until: NOW + HOUR_MS,
      reason: 'scripts',
      publicReason: 'Automated votes',
    };
    await store.moderation.ban(ban);
    for (const guildId of guilds) {
      assert.deepEqual(await store.votes.cast(voteOf(guildId, { castAt: NOW + 1 })), {
        kind: 'banned',
        ban,
      });
      assert.equal((await store.votes.cast(voteOf(guildId, { userId: OTHER_USER }))).kind, 'accepted');
      assert.equal((await votesOf(store, guildId)).length, 1);
    }
    const [guildId = ''] = guilds;
    assert.equal((await store.votes.cast(voteOf(guildId, { castAt: NOW + HOUR_MS }))).kind, 'accepted');
    await store.moderation.ban({ ...ban, until: null });
    assert.equal((await store.votes.cast(voteOf(guildId, { castAt: NOW + 9 * HOUR_MS }))).kind, 'banned');
    assert.equal(await store.moderation.unban(USER, NOW), true);
    assert.equal(await store.moderation.unban(USER, NOW), false);
    assert.equal((await store.votes.cast(voteOf(guildId, { castAt: NOW + 9 * HOUR_MS }))).kind, 'accepted');
  });

  test('a rejected vote of a banned user starts no cooldown', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await store.moderation.ban({ userId: USER, since: NOW, until: null, reason: null, publicReason: null });
    await store.votes.cast(voteOf(guildId));
    await store.moderation.unban(USER, NOW);
    assert.equal((await store.votes.cast(voteOf(guildId, { castAt: NOW + 1 }))).kind, 'accepted');
  });

  test('active bans are found and listed by user id; expired ones are pruned', async () => {
    const { store } = subject;
    const ban = (i: number, until: number | null) => ({
      userId: `30000000000000000${i}`,
      since: NOW - 9 * HOUR_MS,
      until,
      reason: null,
      publicReason: null,
    });
    const bans = [ban(3, null), ban(1, NOW + 1), ban(2, NOW), ban(4, NOW - HOUR_MS)];
    for (const each of bans) await store.moderation.ban(each);
    assert.deepEqual(await store.moderation.bans(NOW, '', 10), [bans[1], bans[0]]);
    assert.deepEqual(await store.moderation.bans(NOW, '300000000000000001', 10), [bans[0]]);
    assert.deepEqual(await store.moderation.bans(NOW, '', 1), [bans[1]]);
    assert.deepEqual(await store.moderation.findBan('300000000000000001', NOW), bans[1]);
    for (const userId of ['300000000000000002', '300000000000000009'])
      assert.equal(await store.moderation.findBan(userId, NOW), undefined);
    assert.equal(await store.moderation.unban('300000000000000002', NOW), false);
    assert.equal(await store.moderation.pruneBans(NOW, 10), 1);
    assert.equal(await store.moderation.pruneBans(NOW + 1, 1), 1);
    for (const { userId } of bans) await store.moderation.unban(userId, 0);
  });

  test('the operator log lists the newest first, page by page, and outlives the guild', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const entry = (at: number, given: Partial<AuditEntry> = {}): AuditEntry => ({
      at,
      actor: null,
      action: 'guild_unlisted',
      guildId,
      detail: {},
      ...given,
    });
    const entries = [
      entry(NOW, { actor: { userId: USER, name: 'Alex' }, action: 'guild_renamed', detail: { name: 'New' } }),
      entry(NOW, { guildId: null, action: 'voter_banned', detail: { userId: USER, until: null } }),
      entry(NOW + 1),
    ];
    for (const each of entries) await store.audit.record(each);
    await store.guilds.remove(guildId);
    const page = await store.audit.recent(null, 2);
    const last = page.at(-1);
    assert.ok(last);
    const rest = await store.audit.recent({ at: last.at, id: last.id }, 2);
    const withoutId = ({ id: _, ...recorded }: AuditEntry & { id: number }) => recorded;
    assert.deepEqual([...page, ...rest].map(withoutId), entries.toReversed());
    assert.equal(await store.audit.prune(NOW + 1, 1), 1);
    assert.equal(await store.audit.prune(NOW + 2, 9), 2);
    assert.deepEqual(await store.audit.recent(null, 9), []);
  });
}
