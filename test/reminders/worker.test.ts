/** The decisions of the worker, with a sender that returns what the test says. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { type DueReminder, ReminderWorker, type SendOutcome } from '../../src/reminders/worker.ts';
import { NO_RULES } from '../../src/store/moderation/integrity.ts';
import { addGuild, NOW, USER, voteOf } from '../store/fixtures.ts';
import { openTemporaryStore } from '../support/sqlite.ts';

const error = 'as Discord says';
const QUIET = { info: () => undefined, error: () => undefined };

/** A worker with one reminder that is due. `send` returns the outcomes in order, then `sent`. */
async function openDue(t: TestContext, ...outcomes: (SendOutcome | Error)[]) {
  const { store, close } = await openTemporaryStore();
  t.after(close);
  const guildId = await addGuild(store);
  await store.reminders.enable({ guildId, userId: USER, locale: 'en', now: NOW });
  await store.votes.cast(voteOf(guildId, { castAt: NOW }));
  const scene = { now: NOW + HOUR_MS, sent: [] as DueReminder[], results: [] as string[] };
  const worker = new ReminderWorker({
    store,
    clock: () => scene.now,
    logger: QUIET,
    onResult: (result) => void scene.results.push(result),
    send: async (reminder) => {
      scene.sent.push(reminder);
      const outcome = outcomes.shift() ?? { kind: 'sent' };
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  });
  const runAfter = (ms: number) => {
    scene.now += ms;
    return worker.runDue();
  };
  return Object.assign(scene, { store, guildId, worker, runAfter });
}

test('the sender gets the rules of the guild, on which the message depends', async (t) => {
  const scene = await openDue(t);
  const rules = { ...NO_RULES, membersOnly: true };
  await scene.store.integrity.setRules(scene.guildId, rules);
  await scene.worker.runDue();
  assert.deepEqual(scene.sent[0]?.rules, rules);
  await scene.runAfter(HOUR_MS);
  assert.equal(scene.sent.length, 1);
  assert.deepEqual(scene.results, ['sent']);
});

test('an attempt without a result is repeated after half a minute, and says that it may have arrived', async (t) => {
  const scene = await openDue(t, { kind: 'unknown', error, mayBeSent: true });
  await scene.worker.runDue();
  await scene.runAfter(30 * SECOND_MS - 1);
  assert.equal(scene.sent.length, 1);
  await scene.runAfter(1);
  assert.deepEqual(
    scene.sent.map(({ mayBeSent }) => mayBeSent),
    [false, true],
  );
  assert.deepEqual(scene.results, ['retried', 'sent']);
});

test('a limit pauses everything until its time', async (t) => {
  const scene = await openDue(t, { kind: 'limited', error, retryAfterMs: 4 * SECOND_MS });
  await scene.worker.runDue();
  await scene.runAfter(4 * SECOND_MS - 1);
  assert.equal(scene.sent.length, 1);
  await scene.runAfter(1);
  assert.deepEqual(scene.results, ['limited', 'sent']);
});

test('a rejected reminder is not sent again, and one with wrong credentials after five minutes', async (t) => {
  const rejected = await openDue(t, { kind: 'rejected', error });
  await rejected.worker.runDue();
  await rejected.runAfter(HOUR_MS);
  assert.deepEqual(rejected.results, ['rejected']);
  const unauthorized = await openDue(t, { kind: 'unauthorized', error });
  await unauthorized.worker.runDue();
  await unauthorized.runAfter(5 * MINUTE_MS - 1);
  assert.deepEqual(unauthorized.results, ['retried']);
  await unauthorized.runAfter(1);
  assert.deepEqual(unauthorized.results, ['retried', 'sent']);
});

test('a user who accepts no messages is not reminded again', async (t) => {
  const { store, guildId, worker, results } = await openDue(t, { kind: 'forbidden', error });
  await worker.runDue();
  assert.equal(await store.reminders.find(guildId, USER), undefined);
  assert.deepEqual(results, ['refused']);
});

test('an error of our own leaves the reminder for the end of its claim', async (t) => {
  const scene = await openDue(t, new Error('a mistake'));
  await scene.worker.runDue();
  await scene.runAfter(MINUTE_MS - 1);
  assert.equal(scene.sent.length, 1);
  await scene.runAfter(1);
  assert.deepEqual(scene.results, ['sent']);
});
