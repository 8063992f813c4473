import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { generateApiKey, hashApiKey } from '../../../src/domain/keys/api-key.ts';
import { buildServer } from '../../../src/server.ts';
import { testServerDeps } from '../../support/api.ts';
import { type Community, type Fixture, openFixture } from '../fixture.ts';

const CHECK = '/v7/vote-check?discord_id=200000000000000001';

describe('a key', { concurrency: false }, () => {
  let fixture: Fixture;
  let community: Community;
  before(async () => {
    fixture = await openFixture();
    community = await fixture.newCommunity();
  });
  after(() => fixture.close());

  /** The server on a store that records its queries. */
  async function ask(keys: string[]): Promise<{ statuses: number[]; asked: string[] }> {
    const asked: string[] = [];
    const admit: typeof fixture.store.admit = (lookup) => {
      asked.push(lookup.keyHash);
      return fixture.store.admit(lookup);
    };
    const app = buildServer(testServerDeps({ ...fixture.store, admit }, fixture.clock, fixture.secrets));
    const statuses: number[] = [];
    for (const key of keys) {
      const headers = { authorization: `Bearer ${key}` };
      statuses.push(
        (await app.inject({ url: CHECK, headers, remoteAddress: `2001:db8:${statuses.length}::1` }))
          .statusCode,
      );
    }
    await app.close();
    return { statuses, asked };
  }

  // Constant time by construction: the database compares hashes, and an attacker cannot choose how much of a hash
  // matches. So the test checks that only the hash is ever looked up or compared.
  it('is looked up by its hash only, in the same step whether it is right, almost right or wrong', async () => {
    const right = community.keys.validKey ?? '';
    const nearlyRight = keysBeside(right);
    assert.equal(nearlyRight.length, 30);
    const wrong = [...nearlyRight, ...Array.from({ length: 20 }, () => generateApiKey())];
    const { statuses, asked } = await ask([right, ...wrong]);
    assert.deepEqual(statuses, [200, ...wrong.map(() => 401)]);
    assert.deepEqual(asked, [right, ...wrong].map(hashApiKey));
  });

  it('that is truncated, mistyped or extended never reaches the database', async () => {
    const right = community.keys.validKey ?? '';
    const last = right.endsWith('0') ? '1' : '0';
    const { statuses, asked } = await ask([
      right.slice(0, -1),
      right.slice(0, -1) + last,
      `${right}0`,
      right.toLowerCase(),
    ]);
    assert.deepEqual([...new Set(statuses)], [401]);
    assert.deepEqual(asked, []);
  });

  it('cannot be guessed: thirty attempts per minute and address, regardless of headers', async () => {
    let passed = 0;
    for (let i = 0; i < 100; i += 1) {
      const { statusCode } = await fixture.app.inject({
        url: `${CHECK}&api_token=${generateApiKey()}`,
        headers: {
          'x-forwarded-for': `10.0.0.${i}`,
          'x-real-ip': `10.0.1.${i}`,
          forwarded: `for=10.0.2.${i}`,
          'user-agent': `try ${i}`,
          'x-api-token': i % 2 ? generateApiKey() : '',
        },
        // An IPv6 network has 2^64 addresses but counts as one caller.
        remoteAddress: `2001:db8:aaaa:bbbb::${i.toString(16)}`,
      });
      if (statusCode === 401) passed += 1;
      else assert.equal(statusCode, 429);
    }
    assert.equal(passed, 30);
  });

  it('is not limited by attempts of others from the same address', async () => {
    const call = (key: string) =>
      fixture.app.inject({
        url: CHECK,
        headers: { authorization: `Bearer ${key}` },
        remoteAddress: '203.0.113.7',
      });
    for (let i = 0; i < 40; i += 1) await call(generateApiKey());
    assert.equal((await call('vty_wrong')).statusCode, 429);
    assert.equal((await call(community.keys.validKey ?? '')).statusCode, 200);
  });

  it('of another community cannot use a cursor of this one, or a forged cursor', async () => {
    const { guildId, otherGuildId } = community;
    const at = fixture.clock();
    for (const id of [guildId, otherGuildId])
      for (const userId of ['200000000000000011', '200000000000000012'])
        await fixture.store.votes.cast({
          guildId: id,
          userId,
          castAt: at - 1000,
          externalId: null,
          isDoubled: false,
        });
    const list = async (path: string) =>
      (
        await fixture.app.inject({
          url: path,
          headers: { authorization: `Bearer ${community.keys.validKey}` },
          remoteAddress: '203.0.113.8',
        })
      ).json();
    const first = await list('/v7/guild/votes?limit=1');
    const cursor = String(first.pagination.next_cursor);
    const [payload = '', signature = ''] = cursor.split('.');
    const fields = Buffer.from(payload, 'base64url').toString();
    const pack = (text: string) => Buffer.from(text).toString('base64url');
    const forged = [
      `${pack(fields.replace(/^\d+/, '0'))}.${signature}`,
      `${pack(`${fields}.x`)}.${signature}`,
      `${payload}.`,
      `.${signature}`,
      `${payload}.${signature.slice(0, -1)}`,
      `${payload}.${pack('none')}`,
      `${cursor}.${cursor}`,
      pack(JSON.stringify({ from: 0, guildId: otherGuildId })),
    ];
    for (const text of forged)
      assert.equal(
        (await list(`/v7/guild/votes?limit=1&cursor=${encodeURIComponent(text)}`)).error,
        'INVALID_CURSOR',
      );
    const otherList = await list(`/v7/guild/votes/users/200000000000000011?cursor=${cursor}`);
    assert.equal(otherList.error, 'INVALID_CURSOR');
  });

  it('is not accepted as a session, and a modified session cookie is ignored', async () => {
    const [[name = '', cookie = ''] = []] = [...fixture.visitors.admin.cookies].filter(([key]) =>
      key.includes('session'),
    );
    assert.ok(cookie);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(cookie.length - 1),
        fc.constantFrom('A', 'b', '0', '%', ';', ''),
        async (at, letter) => {
          const changed = cookie.slice(0, at) + letter + cookie.slice(at + 1);
          fc.pre(decode(changed) !== decode(cookie));
          const answer = await fixture.app.inject({
            url: '/dashboard',
            headers: { cookie: `${name}=${changed}` },
          });
          assert.equal(answer.statusCode, 303);
          assert.match(String(answer.headers.location), /^\/sign-in/);
        },
      ),
      { numRuns: 200, seed: 7 },
    );
  });
});

/** Two encodings of the same bytes are the same cookie. */
function decode(cookie: string): string {
  return decodeURIComponent(cookie.replaceAll('%', '%25'))
    .split(';')
    .map((part) => Buffer.from(part, 'base64').toString('hex'))
    .join();
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** For each random character of a key, the key with another character and the matching checksum. */
function keysBeside(key: string): string[] {
  const body = key.slice('vty_'.length, -6);
  assert.equal(keyOf(body), key);
  return [...body].map((letter, at) => {
    const other = letter === 'x' ? 'y' : 'x';
    return keyOf(body.slice(0, at) + other + body.slice(at + 1));
  });
}

/** The well-formed key with this body, created by the generator with fixed randomness. */
function keyOf(body: string): string {
  let at = 0;
  return generateApiKey(() => {
    at += 1;
    return BASE62.indexOf(body.charAt(at - 1));
  });
}
