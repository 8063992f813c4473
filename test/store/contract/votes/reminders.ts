import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/domain/clock.ts';
import { openStore } from '../../../../src/store/open.ts';
import type { ClaimedReminder } from '../../../../src/store/reminders.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

const DUE = NOW + HOUR_MS;
const CLAIM = { now: DUE, until: DUE + MINUTE_MS, limit: 100 };

export function reminderContract(subject: Subject): void {
  const enable = (guildId: string, userId = USER, now = NOW) =>
    subject.store.reminders.enable({ guildId, userId, locale: 'en', now });
  const claimOf = async (guildId: string, request = CLAIM) =>
    (await subject.store.reminders.claim(request)).filter((claimed) => claimed.guildId === guildId);
  const claimOne = async (guildId: string, request = CLAIM): Promise<ClaimedReminder> => {
    const [claimed, ...others] = await claimOf(guildId, request);
    assert.ok(claimed);
    assert.deepEqual(others, []);
    return claimed;
  };

  test('reminders are off until they are turned on, and are on until they are turned off', async () => {
    const { reminders } = subject.store;
    const guildId = await addGuild(subject.store);
    assert.equal(await reminders.find(guildId, USER), undefined);
    assert.deepEqual(await enable(guildId), { locale: 'en', dueAt: null });
    assert.deepEqual(await reminders.enable({ guildId, userId: USER, locale: 'fr', now: NOW + 1 }), {
      locale: 'fr',
      dueAt: null,
    });
    assert.deepEqual(await reminders.find(guildId, USER), { locale: 'fr', dueAt: null });
    assert.equal(await reminders.disable(guildId, USER), true);
    assert.equal(await reminders.disable(guildId, USER), false);
    assert.equal(await reminders.find(guildId, USER), undefined);
    assert.equal(await enable('199999999999999999'), undefined);
  });

  test('a vote makes a reminder due when its cooldown ends, for users who turned them on', async () => {
    const guildId = await addGuild(subject.store, 'Reminded');
    await enable(guildId);
    for (const userId of [USER, OTHER_USER]) await subject.store.votes.cast(voteOf(guildId, { userId }));
    assert.deepEqual(await subject.store.reminders.find(guildId, USER), { locale: 'en', dueAt: DUE });
    assert.deepEqual(await claimOf(guildId, { ...CLAIM, now: DUE - 1 }), []);
    assert.deepEqual(await claimOne(guildId), {
      guildId,
      guildName: 'Reminded',
      isSanctioned: false,
      userId: USER,
      locale: 'en',
      dueAt: DUE,
      mayBeSent: false,
      claimedUntil: CLAIM.until,
    });
  });

  test('if reminders are turned on during a cooldown, the first one is due at its end', async () => {
    const guildId = await addGuild(subject.store);
    await subject.store.votes.cast(voteOf(guildId));
    assert.equal((await enable(guildId, USER, DUE - 1))?.dueAt, DUE);
    const finished = await claimOne(guildId);
    await subject.store.reminders.finish(finished);
    const later = await addGuild(subject.store);
    await subject.store.votes.cast(voteOf(later));
    assert.equal((await enable(later, USER, DUE))?.dueAt, null);
  });

  test('a claimed reminder is claimed again only when the claim expires, and is then uncertain', async () => {
    const guildId = await addGuild(subject.store);
    await enable(guildId);
    await subject.store.votes.cast(voteOf(guildId));
    const first = await claimOne(guildId);
    assert.deepEqual(await claimOf(guildId, { ...CLAIM, now: CLAIM.until - 1 }), []);
    const again = { now: CLAIM.until, until: CLAIM.until + MINUTE_MS, limit: 100 };
    const second = await claimOne(guildId, again);
    assert.equal(second.mayBeSent, true);
    // The first worker lost its claim.
    await subject.store.reminders.finish(first);
    const third = await claimOne(guildId, { ...again, now: again.until, until: again.until + MINUTE_MS });
    await subject.store.reminders.finish(third);
    assert.deepEqual(await subject.store.reminders.find(guildId, USER), { locale: 'en', dueAt: null });
    assert.deepEqual(await claimOf(guildId, { ...CLAIM, now: NOW + DAY_MS }), []);
  });

  test('a retry is due at its time and says whether the message may have been sent', async () => {
    const guildId = await addGuild(subject.store);
    await enable(guildId);
    await subject.store.votes.cast(voteOf(guildId));
    let claimed = await claimOne(guildId);
    for (const mayBeSent of [false, true]) {
      const at = claimed.claimedUntil + MINUTE_MS;
      await subject.store.reminders.retry(claimed, at, mayBeSent);
      assert.deepEqual(await claimOf(guildId, { ...CLAIM, now: at - 1 }), []);
      claimed = await claimOne(guildId, { now: at, until: at + MINUTE_MS, limit: 100 });
      assert.equal(claimed.mayBeSent, mayBeSent);
    }
    await subject.store.reminders.finish(claimed);
  });

  test('a vote cast while its reminder is being sent gets its own reminder', async () => {
    const guildId = await addGuild(subject.store);
    await enable(guildId);
    await subject.store.votes.cast(voteOf(guildId));
    const claimed = await claimOne(guildId);
    await subject.store.votes.cast(voteOf(guildId, { castAt: DUE + 1 }));
    await subject.store.reminders.finish(claimed);
    await subject.store.reminders.retry(claimed, DUE + 2, true);
    const next = await claimOne(guildId, { ...CLAIM, now: DUE + 1 + HOUR_MS, until: DUE + 2 * HOUR_MS });
    assert.deepEqual([next.dueAt, next.mayBeSent], [DUE + 1 + HOUR_MS, false]);
    await subject.store.reminders.finish(next);
  });

  test('each reminder is claimed by one of two processes that claim concurrently', async () => {
    const { store, database } = subject;
    const guildId = await addGuild(store);
    const users = Array.from({ length: 40 }, (_, i) => `3100000000000${1000 + i}`);
    for (const userId of users) {
      await enable(guildId, userId);
      await store.votes.cast(voteOf(guildId, { userId }));
    }
    const other = await openStore(database);
    try {
      const request = { ...CLAIM, limit: 5 };
      const rounds = Array.from({ length: 8 }, () => [store, other]).flat();
      const claimed = (await Promise.all(rounds.map(({ reminders }) => reminders.claim(request)))).flat();
      const rest = await store.reminders.claim(CLAIM);
      const found = [...claimed, ...rest].filter((each) => each.guildId === guildId);
      assert.deepEqual(found.map(({ userId }) => userId).sort(), users);
      for (const each of [...claimed, ...rest]) await store.reminders.finish(each);
    } finally {
      await other.close();
    }
  });

  test('reminders of a user are turned off everywhere; those of others stay', async () => {
    const { reminders } = subject.store;
    const guilds = [await addGuild(subject.store), await addGuild(subject.store)];
    const gone = '310000000000002001';
    for (const guildId of guilds) {
      await enable(guildId, gone);
      await enable(guildId, OTHER_USER);
    }
    assert.equal(await reminders.disableAll(gone), 2);
    for (const guildId of guilds) {
      assert.equal(await reminders.find(guildId, gone), undefined);
      assert.ok(await reminders.find(guildId, OTHER_USER));
    }
  });

  test('reminders are removed with their guild, and a claim says whether the guild is sanctioned', async () => {
    const { guilds, reminders, votes } = subject.store;
    const guildId = await addGuild(subject.store);
    await enable(guildId);
    await votes.cast(voteOf(guildId));
    await guilds.setSanction(guildId, { since: NOW, reason: null });
    const claimed = await claimOne(guildId);
    assert.equal(claimed.isSanctioned, true);
    await guilds.remove(guildId);
    assert.equal(await reminders.find(guildId, USER), undefined);
    await reminders.finish(claimed);
  });

  test('settings without a vote since a given time are pruned, unless a message is due', async () => {
    const { reminders, votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const old = 1_000_000;
    await enable(guildId, USER, old);
    await enable(guildId, OTHER_USER, old);
    await votes.cast(voteOf(guildId, { userId: OTHER_USER }));
    assert.equal(await reminders.prune(old, 10), 0);
    assert.equal(await reminders.prune(old + 1, 10), 1);
    assert.equal(await reminders.find(guildId, USER), undefined);
    assert.ok(await reminders.find(guildId, OTHER_USER));
  });
}
