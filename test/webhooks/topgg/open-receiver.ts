/** A receiver that was added in a format of top.gg, and votes for its guild. */
import assert from 'node:assert/strict';
import { SECOND_MS } from '../../../src/domain/clock.ts';
import type { TopggFormat } from '../../../src/domain/webhooks/topgg.ts';
import { addGuild, voteOf } from '../../store/fixtures.ts';
import type { Fixture } from '../fixture.ts';
import { startReceiver } from '../receiver.ts';

export const SECRET = 'whs_0123456789abcdef';
let voters = 0;

export async function openReceiver(
  fixture: Fixture,
  format: TopggFormat,
  secret: string | undefined = SECRET,
) {
  const receiver = await startReceiver();
  const guildId = await addGuild(fixture.store);
  const added = await fixture.endpoints.addEndpoint(
    guildId,
    { kind: 'topgg', format, url: receiver.url, secret, events: ['vote_received'] },
    null,
  );
  assert.ok(added.ok);
  return { receiver, guildId, endpointId: added.endpoint.endpointId, added };
}

export async function vote(
  { store, clock }: Fixture,
  guildId: string,
  given: Partial<ReturnType<typeof voteOf>> = {},
) {
  voters += 1;
  const userId = String(330_000_000_000_000_000n + BigInt(voters));
  const cast = voteOf(guildId, { userId, castAt: clock(), ...given });
  assert.equal((await store.votes.cast(cast)).kind, 'accepted');
  return cast;
}

/** Runs the worker until nothing is pending, and returns the pauses between the attempts in seconds. */
export async function pausesUntilDone({ worker, clock, log }: Fixture, guildId: string): Promise<number[]> {
  const pauses: number[] = [];
  for (;;) {
    await worker.runDue();
    const [record] = await log(guildId);
    if (record?.state !== 'pending') return pauses;
    assert.ok(record.nextAttemptAt !== null);
    pauses.push((record.nextAttemptAt - clock()) / SECOND_MS);
    clock.set(new Date(record.nextAttemptAt).toISOString());
  }
}

export async function resultOf(fixture: Fixture, guildId: string) {
  const [record] = await fixture.log(guildId);
  return { state: record?.state, attempts: record?.attempts, error: record?.lastAttempt?.error };
}
