import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { startLive } from '../clients/live.ts';
import { rateLimited } from '../sdk/support/bodies.ts';
import { requirement } from '../support/requirement.ts';
import { assertRepeated, startLossyProxy } from './lossy-proxy.ts';
import { type Place, ROOT, run, start, unpackGuide, write } from './programs.ts';
import { environment, LIMITED_FOR_LONG, NOWHERE, startStub, startUntrusted } from './services.ts';

const NAME = 'Steve_42';

async function unpack(t: TestContext, env: Record<string, string>): Promise<Place> {
  const { folder } = await unpackGuide(t, 'php-cms');
  await copyFile(join(ROOT, 'clients/php/Votary.php'), join(folder, 'Votary.php'));
  await mkdir(join(folder, 'accounts'));
  return { folder, env: { ...env, ACCOUNTS_DIR: join(folder, 'accounts') } };
}

const trusting = (env: Record<string, string>) => ['-d', `curl.cainfo=${env.SSL_CERT_FILE}`];
const claim = (place: Place, name = NAME) => run('php', [...trusting(place.env), 'claim.php', name], place);

/** The same page with one part of its code replaced; the returned function restores it. */
async function change(
  { folder }: Place,
  file: string,
  from: string,
  to: string,
): Promise<() => Promise<void>> {
  const source = await readFile(join(folder, file), 'utf8');
  assert.ok(source.includes(from));
  await write(folder, file, source.replace(from, to));
  return () => write(folder, file, source);
}

/** Coins of the only member. */
async function coins({ folder }: Place): Promise<number> {
  const names = await readdir(join(folder, 'accounts'));
  const account = names.find((name) => /^[0-9a-f]{64}$/.test(name)) ?? '';
  return JSON.parse(await readFile(join(folder, 'accounts', account), 'utf8')).coins;
}

const YOUR_CODE = '// Your own code: coins, a rank, a role.';

describe('the PHP guide', { skip: requirement('php') }, async () => {
  const live = await startLive();

  async function open(t: TestContext) {
    const community = await live.addCommunity();
    return { community, place: await unpack(t, environment(live.url, community.key, live.certificate)) };
  }

  it('rewards every vote of the last days once, however often they are claimed', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: NAME, minutesAgo: 2 * 24 * 60 });
    await community.cast({ externalId: NAME, minutesAgo: 60, isDoubled: true });
    const claims = [await claim(place), await claim(place)];
    assert.match(claims[0]?.stdout ?? '', /^Thank you! You were rewarded for 2 of your votes\. /);
    assert.match(claims[1]?.stdout ?? '', /^You have no new votes\. /);
    assert.equal(await coins(place), 30);
  });

  it('rewards a vote once if it is claimed many times at the same moment', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: NAME });
    // A reward that takes some time, like a real one.
    await change(place, 'claim.php', YOUR_CODE, 'usleep(300_000);');
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim(place)));
    assert.equal(claims.filter(({ stdout }) => stdout.startsWith('Thank you')).length, 1);
    assert.equal(await coins(place), 10);
  });

  for (const [name, file, from, to] of [
    ['before', 'claim.php', YOUR_CODE, 'exit(9);'],
    ['after', 'rewards.php', '        return $result;', '        exit(9);'],
  ] as const) {
    it(`rewards a vote once if it crashes ${name} the reward`, async (t) => {
      const { community, place } = await open(t);
      await community.cast({ externalId: NAME });
      const restore = await change(place, file, from, to);
      assert.equal((await claim(place)).code, 9);
      await restore();
      await claim(place);
      assert.equal(await coins(place), 10);
      assert.deepEqual(await community.claims(NAME, 'website'), { claimable: 0, claimed: 1 });
    });
  }

  it('rewards every vote once if the response to a claim is lost, and leaves it to other consumers', async (t) => {
    const community = await live.addCommunity();
    await community.cast({ externalId: NAME, minutesAgo: 120, isDoubled: true });
    await community.cast({ externalId: NAME });
    const proxy = await startLossyProxy(t, live.url);
    const place = await unpack(t, environment(proxy.url, community.key, proxy.certificate));
    assert.match((await claim(place)).stdout, /^Thank you! You were rewarded for 2 of your votes\. /);
    assertRepeated(proxy);
    assert.equal(await coins(place), 30);
    assert.deepEqual(await community.claims(NAME, 'website'), { claimable: 0, claimed: 2 });
    assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 2, claimed: 0 });
  });

  it('releases a vote if its reward failed', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: NAME });
    const restore = await change(place, 'claim.php', YOUR_CODE, "throw new Exception('the shop is closed');");
    assert.match((await claim(place)).stderr, /the shop is closed/);
    assert.deepEqual(await community.claims(NAME, 'website'), { claimable: 1, claimed: 0 });
    await restore();
    assert.match((await claim(place)).stdout, /^Thank you!/);
    assert.equal(await coins(place), 10);
  });

  it('shows the vote link, with the name of the member and a return address', async (t) => {
    const { place } = await open(t);
    const { stdout } = await claim(place, 'Élodie & "Co"');
    const href = /<a href="([^"]+)">/.exec(stdout)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.deepEqual(Object.fromEntries(new URL(href).searchParams), {
      external_id: 'Élodie & "Co"',
      return_to: 'https://shop.example.org/claim.php',
    });
  });

  it('ignores a name in the URL', async (t) => {
    const { place } = await open(t);
    const options = ['-d', 'register_argc_argv=1', ...trusting(place.env), '-S', '127.0.0.1:0'];
    const server = start('php', options, place);
    t.after(() => server.kill());
    assert.ok(server.stderr);
    const [line] = await once(server.stderr.setEncoding('utf8'), 'data');
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    const answer = await fetch(`${address}/claim.php?x+Steve_42&member=Steve_42`);
    assert.match(await answer.text(), /^Please sign in first/);
  });

  it('fails immediately if it would have to wait too long', async (t) => {
    for (const reply of [LIMITED_FOR_LONG, rateLimited(6)]) {
      const { env, requests } = await startStub(t, reply);
      const { stdout, stderr } = await claim(await unpack(t, env));
      assert.match(stdout, /^Your votes could not be checked\. Please try again in (59|6) seconds\./);
      assert.match(stderr, /^RATE_LIMITED: /);
      assert.equal(requests(), 1);
    }
  });

  const faults: [name: string, env: (t: TestContext) => Promise<Record<string, string>>, log: RegExp][] = [
    ['a wrong key', async () => environment(live.url, 'wrong', live.certificate), /^INVALID_API_TOKEN: /],
    [
      'a service that does not answer',
      async () => environment(NOWHERE, 'wrong', live.certificate),
      /^NETWORK_ERROR: .*connect/i,
    ],
    [
      'a certificate that is not trusted',
      async (t) => (await startUntrusted(t)).env,
      /^CERTIFICATE_ERROR: .*certificate.*curl\.cainfo/i,
    ],
  ];
  for (const [name, env, log] of faults) {
    it(`logs ${name}, and tells the member to try again`, async (t) => {
      const { stdout, stderr } = await claim(await unpack(t, await env(t)));
      assert.match(stderr, log);
      assert.match(stdout, /^Your votes could not be checked/);
    });
  }
});
