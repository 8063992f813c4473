import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { SLOW_MS, Slots } from '../../../src/webhooks/slots.ts';

const NOW = Date.parse('2026-11-15T12:00:00.000Z');
const LIMITS = { total: 12, perEndpoint: 3, unproven: 4, unhealthy: 2 };

/** Endpoints that have just responded, successfully or not. */
function slotsWith(known: { fast?: string[]; unhealthy?: string[] }): Slots {
  const slots = new Slots(LIMITS);
  for (const id of known.fast ?? []) slots.release(slots.take(id, NOW, false), NOW, false);
  for (const id of known.unhealthy ?? []) slots.release(slots.take(id, NOW, true), NOW, true);
  return slots;
}

/** Which of these endpoints may be sent to. */
function chosen(slots: Slots, due: string[], now = NOW): string[] {
  const endpoints = due.map((endpointId) => ({ endpointId }));
  return slots.choose(endpoints, now).map(({ endpointId }) => endpointId);
}

describe('slots', () => {
  test('an endpoint has one attempt at a time until it has responded fast', () => {
    const slots = slotsWith({ fast: ['fast'] });
    for (const id of ['new', 'fast', 'fast']) slots.take(id, NOW, false);
    assert.deepEqual(slots.capacity(NOW).except, ['new']);
    slots.take('fast', NOW, false);
    assert.deepEqual(slots.capacity(NOW).except, ['new', 'fast']);
  });

  test('once half of all slots are taken, every endpoint has one attempt at a time', () => {
    const slots = slotsWith({ fast: ['a', 'b', 'c'] });
    for (const id of ['a', 'a', 'b', 'b', 'c']) slots.take(id, NOW, false);
    assert.deepEqual(slots.capacity(NOW).except, []);
    slots.take('c', NOW, false);
    assert.deepEqual(slots.capacity(NOW).except, ['a', 'b', 'c']);
  });

  test('failing endpoints leave room for new ones', () => {
    const slots = slotsWith({ unhealthy: ['a', 'b', 'c'] });
    slots.take('a', NOW, true);
    assert.deepEqual(slots.capacity(NOW), { limit: 11, except: [] });
    assert.deepEqual(chosen(slots, ['b', 'c', 'new']), ['b']);
    slots.take('b', NOW, true);
    assert.deepEqual(slots.capacity(NOW), { limit: 10, except: ['a', 'b', 'c'] });
    assert.deepEqual(chosen(slots, ['c', 'new', 'newer', 'newest']), ['new', 'newer']);
  });

  test('a new endpoint may turn out to be failing, and counts as such', () => {
    assert.deepEqual(chosen(slotsWith({}), ['a', 'b', 'c', 'd']), ['a', 'b']);
  });

  test('new and failing endpoints leave room for fast ones', () => {
    const slots = slotsWith({ fast: ['fast', 'faster'], unhealthy: ['slow'] });
    const due = ['a', 'slow', 'b', 'fast', 'c', 'faster'];
    assert.deepEqual(chosen(slots, due), ['a', 'slow', 'fast', 'faster']);
    for (const id of ['a', 'b', 'c', 'd']) slots.take(id, NOW, false);
    assert.deepEqual(slots.capacity(NOW), {
      ...{ limit: 8, except: ['a', 'b', 'c', 'd'] },
      only: ['fast', 'faster'],
    });
    assert.deepEqual(chosen(slots, due), ['fast', 'faster']);
  });

  test('no more endpoints are chosen than there are slots', () => {
    const fast = Array.from({ length: 2 * LIMITS.total }, (_, i) => `fast ${i}`);
    const slots = slotsWith({ fast });
    assert.deepEqual(chosen(slots, fast), fast.slice(0, LIMITS.total));
    slots.take('other', NOW, false);
    assert.equal(chosen(slots, fast).length, LIMITS.total - 1);
  });

  test('a hanging attempt counts as slow while it runs, and a fast response does not change that', () => {
    const slots = slotsWith({ fast: ['hangs'] });
    const [, other] = [slots.take('hangs', NOW, false), slots.take('hangs', NOW, false)];
    const later = NOW + SLOW_MS + 1;
    assert.deepEqual(chosen(slots, ['a', 'b', 'hangs'], NOW + SLOW_MS), ['a', 'b', 'hangs']);
    slots.release(other, later, false);
    assert.deepEqual(chosen(slots, ['a', 'b', 'hangs'], later), ['a']);
    slots.take('hangs', later, false);
    assert.deepEqual(slots.capacity(later), { limit: 10, except: ['hangs'] });
    assert.deepEqual(chosen(slots, ['hangs', 'a', 'b', 'c'], later), ['a', 'b']);
  });

  test('a slot that others are waiting for is marked as such', () => {
    const slots = slotsWith({ fast: ['fast'] });
    const fast = slots.take('fast', NOW, false);
    const [first] = ['a', 'b', 'c', 'd'].map((id) => slots.take(id, NOW, false));
    assert.ok(first);
    assert.deepEqual([slots.isAwaited(fast, NOW), slots.isAwaited(first, NOW)], [false, true]);
  });

  test('a test gets a slot only if one is free for its kind of endpoint', () => {
    const slots = slotsWith({ fast: ['fast'], unhealthy: ['a', 'b', 'c'] });
    for (const id of ['a', 'b']) assert.ok(slots.takeIfFree(id, NOW, true));
    assert.equal(slots.takeIfFree('c', NOW, true), undefined);
    const [first] = ['new', 'newer'].map((id) => slots.takeIfFree(id, NOW, false));
    assert.ok(first);
    assert.equal(slots.takeIfFree('newest', NOW, false), undefined);
    for (let i = 0; i < 8; i += 1) assert.ok(slots.takeIfFree('fast', NOW, false));
    assert.equal(slots.takeIfFree('fast', NOW, false), undefined);
    slots.release(first, NOW);
    assert.ok(slots.takeIfFree('newest', NOW, false));
  });

  test('an endpoint without deliveries for a day is dropped', () => {
    const slots = slotsWith({ fast: ['gone'] });
    slots.forget(NOW + DAY_MS);
    slots.take('gone', NOW, false);
    assert.deepEqual(slots.capacity(NOW).except, []);
    slots.forget(NOW + DAY_MS + 1);
    assert.deepEqual(slots.capacity(NOW).except, ['gone']);
  });
});
