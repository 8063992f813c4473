import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { generateWebhookSecret, signatureHeaders } from '../../../src/domain/webhooks/delivery.ts';

const body = JSON.stringify({ type: 'vote_received', data: { external_id: 'Zoë \u{1f600}' } });
// The independent verifier uses the real clock.
const message = { id: 'evt_1', at: Date.now(), body };

describe('a signature', () => {
  test('matches the example of the specification', () => {
    const example = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: 1614265330_000,
      body: '{"test": 2432232314}',
    };
    const headers = signatureHeaders(example, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']);
    assert.equal(headers['webhook-timestamp'], '1614265330');
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('is accepted by an independent verifier', () => {
    const secret = generateWebhookSecret();
    const verified = new Webhook(secret).verify(body, signatureHeaders(message, [secret]));
    assert.deepEqual(verified, JSON.parse(body));
  });

  test('is valid with both secrets during a rotation, and with no other', () => {
    const [old, current, other] = [generateWebhookSecret(), generateWebhookSecret(), generateWebhookSecret()];
    const headers = signatureHeaders(message, [current, old]);
    for (const secret of [old, current]) assert.doesNotThrow(() => new Webhook(secret).verify(body, headers));
    assert.throws(() => new Webhook(other).verify(body, headers));
    assert.throws(() =>
      new Webhook(current).verify(body.replace('1', '2'), { ...headers, 'webhook-id': 'evt_2' }),
    );
  });

  test('is made with a secret of 32 random bytes', () => {
    const secret = generateWebhookSecret();
    assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/);
    assert.notEqual(secret, generateWebhookSecret());
  });
});
