/**
 * Webhooks as the receiver of topggpy 1.4.0 reads them. The library itself is not run: these are the header and the
 * fields that its source reads.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFixture } from '../fixture.ts';
import { openReceiver, vote } from './open-receiver.ts';

/** It divides the query at `&`, then each part at `=` into exactly two, and fails otherwise. It decodes nothing. */
function readQuery(query: unknown): Map<string, string> {
  assert.ok(query === undefined || typeof query === 'string', 'None has no lstrip');
  const text = (query ?? '').replace(/^\?+/, '');
  const pairs = text === '' ? [] : text.split('&').map((pair) => pair.split('='));
  return new Map(
    pairs.map(([name = '', value = '', ...rest]) => {
      assert.deepEqual(rest, []);
      return [name, value];
    }),
  );
}

/** `null`: a vote without a name. */
const NAMES = [
  [null, undefined],
  ['Steve', 'Steve'],
  ['a=b&c=d', 'a%3Db%26c%3Dd'],
  ['?x', '%3Fx'],
  ['100%', '100%25'],
  ['.Bedrock Name', '.Bedrock+Name'],
  ['Élodie', '%C3%89lodie'],
] as const;

test('topggpy reads the ids and the query of every name', async () => {
  const fixture = await openFixture();
  const { receiver, guildId } = await openReceiver(fixture, 'topgg-v0', 'youshallnotpass');
  for (const [externalId, expected] of NAMES) {
    const { userId } = await vote(fixture, guildId, { externalId });
    await fixture.worker.runDue();
    const received = receiver.received.at(-1);
    assert.ok(received);
    assert.equal(received.headers.authorization, 'youshallnotpass');
    const { guild, user, type, query, ...others } = JSON.parse(received.body);
    // `bot` would be read before `guild`.
    assert.deepEqual([guild, user, type, others], [guildId, userId, 'upvote', {}]);
    assert.match(guild, /^\d+$/);
    assert.equal(readQuery(query).get('external_id'), expected, String(externalId));
  }
});
