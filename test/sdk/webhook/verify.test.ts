import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { verifyWebhook, type WebhookHeaders, type WebhookVerification } from '../../../sdk/src/index.ts';
import { anyText } from '../../support/any-text.ts';
import { bodyOf, ID, NOW, OTHER_SECRET, SECRET, sign, VOTE_BODY } from './deliveries.ts';

const now = () => NOW;

function verify(headers: WebhookHeaders, body = VOTE_BODY, secret: string | string[] = SECRET) {
  return verifyWebhook(body, headers, secret, { now });
}

function reasonOf(result: WebhookVerification): string {
  return result.valid ? 'valid' : result.reason;
}

describe('a delivery that standardwebhooks signed', () => {
  it('is valid, and returns its event in camelCase with dates as Date', async () => {
    assert.deepEqual(await verify(sign(VOTE_BODY)), {
      valid: true,
      event: {
        id: ID,
        type: 'vote_received',
        timestamp: new Date('2026-11-15T11:59:59.000Z'),
        data: {
          voteId: 'v1',
          guildId: '100000000000000001',
          userId: '200000000000000001',
          externalId: 'Élodie 🎮',
          timestamp: new Date('2026-11-15T11:59:58.765Z'),
          isDoubled: true,
          nextVoteAt: new Date('2026-11-15T12:59:58.765Z'),
          votesThisMonth: 12,
        },
      },
    });
  });

  it('is valid for any text and any length of the secret', async () => {
    const secrets = fc.uint8Array({ minLength: 24, maxLength: 64 });
    await fc.assert(
      fc.asyncProperty(anyText(), secrets, async (note, bytes) => {
        const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
        const body = bodyOf('vote_counted', { note });
        const result = await verify(sign(body, { secret }), body, secret);
        assert.ok(result.valid && result.event.type === 'unknown');
        assert.deepEqual([result.event.name, result.event.data], ['vote_counted', { note }]);
      }),
      { numRuns: 50 },
    );
  });

  it('is valid as bytes, and with web headers or names in any case', async () => {
    const signed = sign(VOTE_BODY);
    const bytes = new TextEncoder().encode(VOTE_BODY);
    const shouted = Object.fromEntries(
      Object.entries(signed).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    const results = await Promise.all([
      verifyWebhook(bytes, signed, SECRET, { now }),
      verifyWebhook(bytes.buffer, signed, SECRET, { now }),
      verifyWebhook(Buffer.from(VOTE_BODY), signed, SECRET, { now }),
      verify(new Headers(signed)),
      verify(shouted),
    ]);
    assert.deepEqual(results.map(reasonOf), Array(5).fill('valid'));
  });

  it('is valid as bytes of another realm, as in test runners', async () => {
    const bytes = runInNewContext('Uint8Array').from(Buffer.from(VOTE_BODY));
    assert.ok(!(bytes instanceof Uint8Array) && !(bytes.buffer instanceof ArrayBuffer));
    for (const body of [bytes, bytes.buffer]) {
      assert.equal(reasonOf(await verifyWebhook(body, sign(VOTE_BODY), SECRET, { now })), 'valid');
    }
  });

  it('is valid with either secret and either signature during a rotation', async () => {
    const [first, second] = [sign(VOTE_BODY), sign(VOTE_BODY, { secret: OTHER_SECRET })];
    const both = {
      ...first,
      'webhook-signature': `v1a,xyz ${second['webhook-signature']} ${first['webhook-signature']}`,
    };
    const results = await Promise.all([
      verify(first, VOTE_BODY, [OTHER_SECRET, SECRET]),
      verify(second, VOTE_BODY, [OTHER_SECRET, SECRET]),
      verify(both, VOTE_BODY, SECRET),
      verify(both, VOTE_BODY, OTHER_SECRET),
      verify(first, VOTE_BODY, SECRET.slice('whsec_'.length)),
    ]);
    assert.deepEqual(results.map(reasonOf), Array(5).fill('valid'));
  });
});

describe('a delivery is rejected', () => {
  const signed = sign(VOTE_BODY);
  const signature = signed['webhook-signature'];
  const withSignature = (text: string) => ({ ...signed, 'webhook-signature': text });
  const refused: [name: string, headers: WebhookHeaders, reason: string][] = [
    ['signed with another secret', sign(VOTE_BODY, { secret: OTHER_SECRET }), 'SIGNATURE_MISMATCH'],
    ['signed for another body', sign('{}'), 'SIGNATURE_MISMATCH'],
    ['under another id', { ...signed, 'webhook-id': 'msg_2' }, 'SIGNATURE_MISMATCH'],
    ['at another time', { ...signed, 'webhook-timestamp': String(NOW / 1000 + 1) }, 'SIGNATURE_MISMATCH'],
    ['signed 301 seconds ago', sign(VOTE_BODY, { at: NOW - 301_000 }), 'TIMESTAMP_TOO_OLD'],
    ['signed 301 seconds ahead', sign(VOTE_BODY, { at: NOW + 301_000 }), 'TIMESTAMP_TOO_NEW'],
    ['with a short signature', withSignature(signature.slice(0, 20)), 'MALFORMED_SIGNATURE'],
    ['with a long signature', withSignature(`${signature}AAAA`), 'MALFORMED_SIGNATURE'],
    ['with a signature that is not base64', withSignature('v1,***'), 'MALFORMED_SIGNATURE'],
    [
      'with a signature of another version',
      withSignature(signature.replace('v1', 'v2')),
      'MALFORMED_SIGNATURE',
    ],
    ['with a signature without version', withSignature(signature.slice(3)), 'MALFORMED_SIGNATURE'],
    ['with an empty signature', withSignature(''), 'MISSING_HEADERS'],
    ['with spaces for a signature', withSignature('   '), 'MALFORMED_SIGNATURE'],
    ['with an invalid time', { ...signed, 'webhook-timestamp': '1e9' }, 'INVALID_TIMESTAMP'],
    ['with a negative time', { ...signed, 'webhook-timestamp': '-5' }, 'INVALID_TIMESTAMP'],
    ['with two signatures headers', { ...signed, 'Webhook-Signature': signature }, 'MISSING_HEADERS'],
    ['without headers', {}, 'MISSING_HEADERS'],
    ['with empty web headers', new Headers(), 'MISSING_HEADERS'],
  ];
  for (const [name, headers, reason] of refused) {
    it(`${name}: ${reason}`, async () => assert.equal(reasonOf(await verify(headers)), reason));
  }

  it('when its headers throw: MISSING_HEADERS', async () => {
    const hostile = Object.defineProperty(new Headers(), 'get', {
      value: () => {
        throw new Error('no');
      },
    });
    assert.equal(reasonOf(await verify(hostile)), 'MISSING_HEADERS');
  });

  it('if the options are null and it is old, or the tolerance is not a number', async () => {
    assert.equal(
      reasonOf(await verifyWebhook(VOTE_BODY, sign(VOTE_BODY, { at: 0 }), SECRET, null)),
      'TIMESTAMP_TOO_OLD',
    );
    const options = { now, toleranceSeconds: Number.NaN };
    assert.equal(reasonOf(await verifyWebhook(VOTE_BODY, signed, SECRET, options)), 'TIMESTAMP_TOO_OLD');
  });

  for (const at of [NOW - 300_000, NOW + 300_000]) {
    it(`not yet at ${(NOW - at) / 1000} seconds`, async () => {
      assert.equal(reasonOf(await verify(sign(VOTE_BODY, { at }))), 'valid');
    });
  }

  for (const secret of ['', 'whsec_', 'whsec_short', 'whsec_***', 'secret', `whsec_${'A'.repeat(200)}`]) {
    it(`if the secret is ${JSON.stringify(secret.slice(0, 20))}`, async () => {
      assert.equal(reasonOf(await verify(signed, VOTE_BODY, secret)), 'INVALID_SECRET');
      assert.equal(reasonOf(await verify(signed, VOTE_BODY, [SECRET, secret])), 'INVALID_SECRET');
    });
  }

  const payloads = [
    '',
    'null',
    '[]',
    '{',
    '{"type":"vote_received"}',
    bodyOf('vote_received', { guild_id: 1 }),
  ];
  for (const body of payloads) {
    it(`if the signed body is ${body}`, async () => {
      assert.equal(reasonOf(await verify(sign(body), body)), 'INVALID_PAYLOAD');
    });
  }

  it('without throwing, whatever is passed', async () => {
    const anything = fc.anything({ withTypedArray: true, withNullPrototype: true, withDate: true });
    await fc.assert(
      fc.asyncProperty(anything, anything, anything, async (body, headers, secret) => {
        const given: unknown[] = [body, headers, secret];
        const result: WebhookVerification = await Reflect.apply(verifyWebhook, undefined, given);
        const behindSecret: WebhookVerification = await Reflect.apply(verifyWebhook, undefined, [
          body,
          headers,
          SECRET,
        ]);
        assert.ok(!result.valid && !behindSecret.valid);
      }),
    );
  });

  it('if its body was parsed, with a message that says what to do', async () => {
    const result = await Reflect.apply(verifyWebhook, undefined, [JSON.parse(VOTE_BODY), signed, SECRET]);
    assert.equal(result.reason, 'BODY_NOT_RAW');
    assert.match(result.message, /pass the raw body.*express\.raw.*Fastify/);
  });

  it('if any character of the body changes', async () => {
    for (let index = 0; index < VOTE_BODY.length; index += 7) {
      const forged = `${VOTE_BODY.slice(0, index)}~${VOTE_BODY.slice(index + 1)}`;
      assert.equal(reasonOf(await verify(signed, forged)), 'SIGNATURE_MISMATCH');
    }
  });
});
