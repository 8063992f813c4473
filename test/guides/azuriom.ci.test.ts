import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { startLive } from '../clients/live.ts';
import { requirement } from '../support/requirement.ts';
import { assertRepeated, startLossyProxy } from './lossy-proxy.ts';
import { run, unpackGuide, write } from './programs.ts';
import {
  environment,
  LIMITED_FOR_LONG,
  NOWHERE,
  startDemo,
  startStub,
  startUntrusted,
  VOTE,
} from './services.ts';

type Vote = [url: string, key: string | null, player: string, then?: 'crash' | 'at once'];

const NAME = 'Steve_42';
const CHECKER = 'plugins/votary/src/VotaryVoteChecker.php';

/** Calls the plugin of the guide, configured with the address of the service, for some votes. */
async function verify(t: TestContext, env: Record<string, string>, votes: (site: string) => Vote[]) {
  const place = await unpackGuide(t, 'azuriom', env);
  const service = env.VOTARY_URL ?? '';
  const source = await readFile(join(place.folder, CHECKER), 'utf8');
  await write(place.folder, CHECKER, source.replace("'https://votes.example.org'", `'${service}'`));
  const site = `${service}/guild/100000000000000001/vote?external_id={player}`;
  const program = join(import.meta.dirname, 'azuriom/verify.php');
  const args = ['-d', `curl.cainfo=${env.SSL_CERT_FILE}`, program, JSON.stringify(votes(site))];
  const { code, stdout, stderr } = await run('php', args, place);
  assert.equal(code, 0, stderr + stdout);
  return { ...JSON.parse(stdout), log: stderr };
}

describe('the Azuriom guide', { skip: requirement('php') }, async () => {
  const demo = await startDemo();

  const live = await startLive();

  async function open() {
    const { key, cast, claims } = await live.addCommunity();
    return { key, cast, claims, env: environment(live.url, key, live.certificate) };
  }

  it('rewards each vote once, even hours later, and nothing without a vote', async (t) => {
    const { key, cast, env } = await open();
    await cast({ externalId: NAME, minutesAgo: 300 });
    await cast({ externalId: NAME });
    await cast({ userId: '200000000000000002', externalId: 'Élodie & "Co" 🎮' });
    const { answers, log } = await verify(t, env, (site) => [
      [site, key, 'Nobody'],
      [site, key, NAME],
      [site, key, NAME],
      [site, key, NAME],
      [site.replace('//', '//www.'), key, 'Élodie & "Co" 🎮'],
    ]);
    assert.deepEqual([answers, log], [[false, true, true, false, true], '']);
  });

  it('retries a claim whose reward Azuriom did not record', async (t) => {
    const { key, cast, claims, env } = await open();
    await cast({ externalId: NAME });
    const { answers } = await verify(t, env, (site) => [
      [site, key, NAME, 'crash'],
      [site, key, NAME],
      [site, key, NAME],
    ]);
    assert.deepEqual(answers, [true, true, false]);
    assert.deepEqual(await claims(NAME, 'website'), { claimable: 0, claimed: 1 });
  });

  it('repeats a claim whose response was lost', async (t) => {
    const { key, cast, claims } = await open();
    await cast({ externalId: NAME, minutesAgo: 120 });
    await cast({ externalId: NAME });
    const proxy = await startLossyProxy(t, live.url);
    const env = environment(proxy.url, key, proxy.certificate);
    const { answers, log } = await verify(t, env, (site) => [
      [site, key, NAME],
      [site, key, NAME],
      [site, key, NAME],
      [site, key, NAME],
    ]);
    assert.deepEqual(answers, [false, true, true, false]);
    assert.match(log, /Votary cannot be reached/);
    assertRepeated(proxy);
    assert.deepEqual(await claims(NAME, 'website'), { claimable: 0, claimed: 2 });
    assert.deepEqual(await claims(NAME, 'survival'), { claimable: 2, claimed: 0 });
  });

  it('accepts one of two concurrent requests', async (t) => {
    const { key, cast, env } = await open();
    await cast({ externalId: NAME });
    const { answers } = await verify(t, env, (site) => [
      [site, key, NAME, 'at once'],
      [site, key, NAME, 'at once'],
    ]);
    assert.deepEqual(answers, [true, false]);
  });

  it('finds the vote of the demo user only', async (t) => {
    const { answers, log } = await verify(t, demo.env, (site) => [
      [site, demo.key, demo.name],
      [site, demo.key, 'Nobody'],
      [site, demo.key, 'Élodie & "Co" 🎮'],
      [site.replace('//', '//www.'), demo.key, 'Nobody'],
    ]);
    assert.deepEqual([answers, log], [[true, false, false, false], '']);
  });

  it('does not affect other sites, including those that are accepted without a check', async (t) => {
    const { answers } = await verify(t, demo.env, () => [
      ['https://list.example/server/1', 'key', demo.name],
      ['https://unknown.example/server/1', 'key', demo.name],
    ]);
    assert.deepEqual(answers, [false, true]);
  });

  const unverifiable: [
    name: string,
    env: (t: TestContext) => Promise<Record<string, string>>,
    log: RegExp,
  ][] = [
    [
      'the service is down',
      async () => ({ ...demo.env, VOTARY_URL: NOWHERE }),
      /Votary cannot be reached: .*connect/i,
    ],
    [
      'the certificate is not trusted',
      async (t) => (await startUntrusted(t)).env,
      /cannot be reached: .*certificate/i,
    ],
    ['another service responds', async (t) => (await startStub(t, { body: '<html>' })).env, /^$/],
    [
      'a redirect leads elsewhere',
      async (t) => (await startStub(t, { status: 302, headers: { location: '/' } }, VOTE)).env,
      /status 302/,
    ],
  ];
  for (const [name, env, log] of unverifiable) {
    it(`accepts nothing if ${name}`, async (t) => {
      const result = await verify(t, await env(t), (site) => [[site, demo.key, demo.name]]);
      assert.deepEqual(result.answers, [false]);
      assert.match(result.log, log);
    });
  }

  it('accepts nothing with a wrong key, or without one', async (t) => {
    const { answers, log } = await verify(t, demo.env, (site) => [
      [site, 'wrong', demo.name],
      [site, null, demo.name],
      [site, '', demo.name],
    ]);
    assert.deepEqual(answers, [false, false, false]);
    assert.match(log, /Votary refused the claim: INVALID_API_TOKEN/);
  });

  it('sends no requests until the rate limit is over', async (t) => {
    const { env, requests } = await startStub(t, LIMITED_FOR_LONG, VOTE);
    const { answers, limited } = await verify(t, env, (site) => [
      [site, demo.key, 'Steve_42'],
      [site, demo.key, 'Alex'],
    ]);
    assert.deepEqual([answers, limited, requests()], [[false, false], 59, 1]);
  });
});
