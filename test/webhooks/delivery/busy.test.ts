import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { openFixture } from '../fixture.ts';
import { answerWith, startReceiver } from '../receiver.ts';

describe('a webhook to a busy receiver', () => {
  test('is repeated when the receiver asks for it, without using up its attempts', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = answerWith(503, { 'retry-after': '60' });
    await fixture.vote(guildId);
    for (let minute = 1; minute <= 20; minute += 1) {
      await fixture.worker.runDue();
      assert.equal(receiver.received.length, minute);
      const [record] = await fixture.log(guildId);
      assert.deepEqual([record?.attempts, record?.lastAttempt?.status], [minute, 503]);
      assert.equal(record?.nextAttemptAt, fixture.clock() + MINUTE_MS);
      fixture.clock.advance(MINUTE_MS - 1);
      await fixture.worker.runDue();
      fixture.clock.advance(1);
    }
    receiver.answer = answerWith(204);
    await fixture.worker.runDue();
    assert.equal((await fixture.log(guildId))[0]?.state, 'delivered');
  });

  test('gives up on a receiver that is always busy', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = answerWith(503, { 'retry-after': '1' });
    await fixture.vote(guildId);
    fixture.clock.advance(HOUR_MS);
    for (let i = 0; i < 8; i += 1) {
      await fixture.worker.runDue();
      fixture.clock.set((await fixture.log(guildId))[0]?.nextAttemptAt ?? fixture.clock());
    }
    assert.equal((await fixture.log(guildId))[0]?.state, 'failed');
    assert.equal(receiver.received.length, 8);
  });

  test('is not attempted while another one has to wait', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    for (let i = 0; i < 20; i += 1) await fixture.vote(guildId);
    receiver.answer = answerWith(429, { 'retry-after': '30' });
    await fixture.worker.runDue();
    const tried = receiver.received.length;
    assert.ok(tried <= 4, `${tried} attempts`);
    fixture.clock.advance(30 * SECOND_MS);
    receiver.answer = answerWith(204);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, tried + 20);
  });
});
