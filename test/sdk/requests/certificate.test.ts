import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Votary, VotaryError } from '../../../sdk/src/index.ts';
import { USER, VOTED } from '../support/bodies.ts';
import {
  type Certificate,
  KEY,
  makeCertificate,
  startLocalService,
  trust,
} from '../support/local-service.ts';
import { testRuntime } from '../support/test-runtime.ts';

/** The error of a vote check, and the number of connections to the service. */
async function failAt(certificate: Certificate): Promise<{ error: VotaryError; connections: number }> {
  const service = await startLocalService(() => ({ body: VOTED }), certificate);
  const votary = new Votary({ apiKey: KEY, baseUrl: service.url }, testRuntime());
  return { error: await errorOf(votary), connections: service.connections() };
}

async function errorOf(votary: Votary): Promise<VotaryError> {
  try {
    await votary.checkVote({ discordId: USER });
  } catch (error) {
    assert.ok(error instanceof VotaryError);
    return error;
  }
  assert.fail('no error');
}

// A call that retries would wait for a clock that is not advanced.
const AT_ONCE = { timeout: 10_000 };

describe('a certificate', AT_ONCE, () => {
  it('that is self-signed is reported immediately, with the variable that makes Node trust it', async () => {
    const { error, connections } = await failAt(await makeCertificate());
    assert.deepEqual([error.code, error.status, connections], ['CERTIFICATE_ERROR', null, 1]);
    assert.match(
      error.message,
      /^The certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted \(DEPTH_ZERO_\w+\)/,
    );
    assert.match(error.message, /NODE_EXTRA_CA_CERTS=\S+cert\.pem.* data\/tls\/cert\.pem/);
    assert.ok(error.cause instanceof Error);
  });

  it('that has expired is reported immediately, with advice', async () => {
    const expired = await makeCertificate({ notAfterDate: new Date('2021-01-01') });
    trust(expired);
    const { error, connections } = await failAt(expired);
    assert.deepEqual([error.code, connections], ['CERTIFICATE_ERROR', 1]);
    assert.match(error.message, /is not valid today \(CERT_HAS_EXPIRED\): renew it.*clock/);
  });

  it('for another name is reported immediately, with advice', async () => {
    const other = await makeCertificate({ ip: '127.0.0.2' });
    trust(other);
    const { error, connections } = await failAt(other);
    assert.deepEqual([error.code, connections], ['CERTIFICATE_ERROR', 1]);
    assert.match(error.message, /another name \(ERR_TLS_CERT_ALTNAME_INVALID\): set baseUrl/);
  });
});

/** The rejections of each runtime, recorded from Bun 1.4 and Deno 2.9. */
const RUNTIMES: [name: string, failure: Error, message: RegExp][] = [
  [
    'Bun',
    Object.assign(new TypeError('self signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    /not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*NODE_EXTRA_CA_CERTS/,
  ],
  [
    'Deno',
    new TypeError('fetch failed', {
      cause: new Error('client error (Connect): invalid peer certificate: UnknownIssuer'),
    }),
    /not trusted \(.*UnknownIssuer\).*DENO_CERT/,
  ],
  [
    'Deno, for another name',
    new TypeError('fetch failed', {
      cause: new Error('invalid peer certificate: certificate not valid for name "127.0.0.1"'),
    }),
    /another name/,
  ],
  [
    'Deno, after its end',
    new TypeError('fetch failed', { cause: new Error('invalid peer certificate: certificate expired: …') }),
    /not valid today/,
  ],
];

describe('a certificate that is rejected by', AT_ONCE, () => {
  for (const [name, failure, message] of RUNTIMES) {
    it(`${name} is reported immediately`, async (t) => {
      if (name.startsWith('Deno')) {
        Object.assign(globalThis, { Deno: {} });
        t.after(() => Reflect.deleteProperty(globalThis, 'Deno'));
      }
      const fetch = t.mock.fn(() => Promise.reject(failure));
      const error = await errorOf(
        new Votary({ apiKey: KEY, baseUrl: 'https://127.0.0.1:8443', fetch }, testRuntime()),
      );
      assert.deepEqual([error.code, fetch.mock.callCount()], ['CERTIFICATE_ERROR', 1]);
      assert.match(error.message, message);
    });
  }

  it('Cloudflare, with status 526, is reported immediately', async (t) => {
    const fetch = t.mock.fn(
      async () => new Response('<html>Invalid SSL certificate</html>', { status: 526 }),
    );
    const error = await errorOf(
      new Votary({ apiKey: KEY, baseUrl: 'https://votes.example.org', fetch }, testRuntime()),
    );
    assert.deepEqual([error.code, error.status, fetch.mock.callCount()], ['CERTIFICATE_ERROR', 526, 1]);
  });
});

it('a service that requires a client certificate is not a certificate error', async (t) => {
  const failure = Object.assign(new Error('tlsv13 alert certificate required'), {
    code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  });
  const fetch = t.mock.fn(() => Promise.reject(new TypeError('fetch failed', { cause: failure })));
  const options = { apiKey: KEY, baseUrl: 'https://votes.example.org', timeoutMs: 900, fetch };
  assert.equal((await errorOf(new Votary(options, testRuntime()))).code, 'NETWORK_ERROR');
});
