import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS, formatInstant } from '../../src/domain/clock.ts';
import { assertDone } from '../cli/votary.ts';
import { startLive } from '../clients/live.ts';
import { pageBody } from '../sdk/support/bodies.ts';
import { requirement } from '../support/requirement.ts';
import { assertRepeated, startLossyProxy } from './lossy-proxy.ts';
import { type Place, run, start, unpackGuide } from './programs.ts';
import {
  environment,
  LIMITED_FOR_A_SECOND,
  LIMITED_FOR_LONG,
  NOWHERE,
  startDemo,
  startStub,
  startUntrusted,
  watch,
} from './services.ts';

const NAME = 'Steve_42';
const NOTHING = { ok: true, claimed: false, vote: null, remaining: 0 };

describe('the curl guide', { skip: requirement('curl') }, async () => {
  const demo = await startDemo();

  it('checks a vote with one command, by id and by name', async (t) => {
    const place = await unpackGuide(t, 'curl', demo.env);
    for (const script of ['one-call.sh', 'by-name.sh']) {
      const answer = await run('sh', [script], place);
      assertDone(answer);
      assert.equal(JSON.parse(answer.stdout).has_voted, true);
    }
  });

  const live = await startLive();

  async function open(t: TestContext) {
    const community = await live.addCommunity();
    const env = environment(live.url, community.key, live.certificate);
    return { community, place: await unpackGuide(t, 'curl', env) };
  }

  const reward = (place: Place, ...command: string[]) => run('sh', ['reward.sh', NAME, ...command], place);

  it('claims a vote with one command, once, and repeats it after a lost response', async (t) => {
    const community = await live.addCommunity();
    await community.cast({ externalId: NAME, minutesAgo: 240 });
    await community.cast({ externalId: NAME, minutesAgo: 120 });
    const proxy = await startLossyProxy(t, live.url);
    const place = await unpackGuide(t, 'curl', environment(proxy.url, community.key, proxy.certificate));
    const claim = (key: string) => run('sh', ['claim-once.sh', key], place);
    assert.notEqual((await claim('reward-1')).code, 0);
    assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 1, claimed: 1 });
    const answers = [
      await claim('reward-1'),
      await claim('reward-1'),
      await claim('reward-2'),
      await claim('reward-3'),
    ].map(({ stdout }) => JSON.parse(stdout));
    assert.deepEqual(
      answers.map(({ claimed }) => claimed),
      [true, true, true, false],
    );
    assert.deepEqual(answers[1], answers[0]);
    assert.notEqual(answers[2].vote.vote_id, answers[0].vote.vote_id);
    assert.deepEqual(await community.claims(NAME, 'bot'), { claimable: 2, claimed: 0 });
  });

  it('rewards a vote once if the response to the claim is lost', async (t) => {
    const community = await live.addCommunity();
    await community.cast({ externalId: NAME, minutesAgo: 120 });
    await community.cast({ externalId: NAME });
    const proxy = await startLossyProxy(t, live.url);
    const place = await unpackGuide(t, 'curl', environment(proxy.url, community.key, proxy.certificate));
    const lost = await reward(place, 'echo');
    assert.deepEqual([lost.code, lost.stdout], [2, '']);
    const { code, stdout } = await reward(place, 'echo');
    assert.equal(code, 0);
    assert.equal(new Set(stdout.trim().split('\n')).size, 2, stdout);
    assertRepeated(proxy);
  });

  it('runs a command once for each vote of the last days', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: NAME, minutesAgo: 2 * 24 * 60 });
    await community.cast({ externalId: NAME });
    const { code, stdout } = await reward(place, 'echo', 'a diamond for');
    assert.match(stdout, /^(a diamond for vote_[0-9a-f]+\n){2}$/);
    assert.equal(code, 0);
    assert.deepEqual(await reward(place, 'echo'), { code: 0, stdout: '', stderr: '' });
  });

  it('repeats the claim that a crash interrupted', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: NAME });
    // The parent of the command is the script.
    const killed = await reward(place, 'sh', '-c', 'kill -9 $PPID');
    assert.notEqual(killed.code, 0);
    assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 0, claimed: 1 });
    assert.match((await reward(place, 'echo')).stdout, /^vote_[0-9a-f]+\n$/);
    assert.equal((await reward(place, 'echo')).stdout, '');
  });

  it('releases a vote if the command failed', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: NAME });
    assert.equal((await reward(place, 'false')).code, 1);
    assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 1, claimed: 0 });
    assert.match((await reward(place, 'echo')).stdout, /^vote_/);
  });

  it('follows new votes, and continues after the stored cursor', async (t) => {
    const { community, place } = await open(t);
    const follow = () => watch(t, start('sh', ['follow.sh', 'cursor'], place));
    const first = follow();
    while (!existsSync(join(place.folder, 'cursor'))) await new Promise(setImmediate);
    await community.cast({ minutesAgo: 60 });
    await first.until(/"votes":\[\{.*\n/);
    await first.kill();
    await community.cast({ userId: '200000000000000002' });
    const second = follow();
    await second.until('"200000000000000002"');
    await second.kill();
  });

  it('prints all pages of a list', async (t) => {
    const period = [formatInstant(Date.now() - 30 * DAY_MS), formatInstant(Date.now())];
    const listed = await run('sh', ['all-votes.sh', ...period], await unpackGuide(t, 'curl', demo.env));
    assertDone(listed);
    const lines = listed.stdout.trim().split('\n');
    const pages = lines.map((line) => JSON.parse(line));
    assert.ok(pages.length > 1);
    assert.equal(pages.flatMap(({ votes }) => votes).length, pages[0].total);
  });

  it('exits with code 2 if the key is wrong', async (t) => {
    const place = await unpackGuide(t, 'curl', { ...demo.env, VOTARY_API_KEY: 'wrong' });
    const { code, stderr } = await reward(place, 'echo');
    assert.equal(code, 2);
    assert.match(stderr, /INVALID_API_TOKEN/);
  });

  it('waits as long as requested, and prints only the final response', async (t) => {
    const claim = await startStub(t, LIMITED_FOR_A_SECOND, { body: NOTHING });
    const claimed = await reward(await unpackGuide(t, 'curl', claim.env), 'echo');
    assert.deepEqual([claimed.code, claimed.stdout], [0, '']);
    assert.ok(claim.pausesMs().every((pause) => pause >= 1000));
    const list = await startStub(t, LIMITED_FOR_A_SECOND, { body: pageBody() });
    const listed = await run(
      'sh',
      ['all-votes.sh', '2026-11-01', '2026-11-02'],
      await unpackGuide(t, 'curl', list.env),
    );
    assert.equal(listed.code, 0);
    assert.deepEqual(JSON.parse(listed.stdout), pageBody());
  });

  it('fails immediately if it would have to wait too long', async (t) => {
    const { env, requests } = await startStub(t, LIMITED_FOR_LONG);
    const { code, stderr } = await reward(await unpackGuide(t, 'curl', env), 'echo');
    assert.equal(code, 2);
    assert.match(stderr, /RATE_LIMITED.*"retry_after":59/);
    assert.equal(requests(), 1);
  });

  it('reports an untrusted certificate immediately', async (t) => {
    const { env, connections } = await startUntrusted(t);
    const { code, stderr } = await reward(await unpackGuide(t, 'curl', env), 'echo');
    assert.deepEqual([code, connections()], [2, 1]);
    assert.match(stderr, /certificate/);
  });

  it('reports that the service is unreachable', async (t) => {
    const place = await unpackGuide(t, 'curl', { ...demo.env, VOTARY_URL: NOWHERE });
    const { code, stderr } = await reward(place, 'echo');
    assert.equal(code, 2);
    assert.match(stderr, /Failed to connect|Couldn't connect/);
  });
});
