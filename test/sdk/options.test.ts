import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Votary } from '../../sdk/src/index.ts';
import { KEY } from './support/local-service.ts';

const BASE_URL = 'https://votes.example.org';

function make(options: Record<string, unknown>): Votary {
  // Like a caller without types.
  return Reflect.construct(Votary, [{ apiKey: KEY, baseUrl: BASE_URL, ...options }]);
}

describe('new Votary', () => {
  const placeholders = [
    '',
    '   ',
    'YOUR_API_KEY',
    'your-key-here',
    '<API_KEY>',
    '{{key}}',
    '#{VOTARY_API_KEY}',
    '$KEY',
    '%KEY%',
    'undefined',
    'null',
    'xxxx',
    'changeme',
    'change_me',
    'VOTRE_CLE_API',
    '[key]',
  ];
  for (const apiKey of [undefined, null, 42, ...placeholders]) {
    it(`says that the key is not set if it is ${JSON.stringify(apiKey)}`, () => {
      assert.throws(() => make({ apiKey }), { name: 'VotaryError', code: 'API_NOT_SET', status: null });
    });
  }

  it('never includes a key in a message', () => {
    assert.throws(
      () => make({ apiKey: `${KEY}\u00a0é` }),
      (error: Error) => !error.message.includes(KEY),
    );
  });

  const wrong: [name: string, options: Record<string, unknown>, message: RegExp][] = [
    ['plain http', { baseUrl: 'http://votes.example.org' }, /must start with https/],
    ['plain http on this machine', { baseUrl: 'http://127.0.0.1:8443' }, /must start with https/],
    ['no address', { baseUrl: undefined }, /baseUrl must be the address/],
    ['an address without a scheme', { baseUrl: 'votes.example.org' }, /baseUrl must be the address/],
    ['an address with the version', { baseUrl: 'https://votes.example.org/v7/' }, /remove "\/v7"/],
    [
      'an address with a query',
      { baseUrl: 'https://votes.example.org/?a=1' },
      /must not contain a user name/,
    ],
    [
      'an address with a password',
      { baseUrl: 'https://a:b@votes.example.org' },
      /must not contain a user name/,
    ],
    ['a negative cache', { cacheSeconds: -1 }, /cacheSeconds/],
    ['a cache of NaN', { cacheSeconds: Number.NaN }, /cacheSeconds/],
    ['a timeout of 0', { timeoutMs: 0 }, /timeoutMs/],
    ['a timeout that is a string', { timeoutMs: '10' }, /timeoutMs/],
    ['a locale that is not a string', { locale: 1 }, /locale/],
  ];
  for (const [name, options, message] of wrong) {
    it(`rejects ${name}`, () => assert.throws(() => make(options), { code: 'INVALID_ARGUMENT', message }));
  }

  it('requires options', () => {
    assert.throws(() => Reflect.construct(Votary, []), {
      code: 'INVALID_ARGUMENT',
      message: /apiKey and baseUrl/,
    });
  });

  it('requires only a key and an address', () => assert.ok(make({})));
});
