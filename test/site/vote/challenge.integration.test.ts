import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { challengeIn, encode, openVoting, solve, type VotingScene } from './voters.ts';

const NETWORK = { networkVotes: { challengeFrom: 3, refuseAbove: 7 } };

/** Accounts that vote below the limit. */
async function fill(scene: VotingScene, accounts: number): Promise<void> {
  for (let i = 0; i < accounts; i += 1) {
    const voter = await scene.voter();
    const page = await voter.open();
    const fields = page.text.includes('data-challenge') ? { altcha: await solve(page) } : {};
    assert.equal((await voter.vote(fields)).status, 303);
  }
}

test('below the first limit the page has no challenge', async (t) => {
  const scene = await openVoting(t, NETWORK);
  await fill(scene, 1);
  const voter = await scene.voter();
  const page = await voter.open();
  assert.doesNotMatch(page.text, /challenge/);
  assert.equal((await voter.vote()).status, 303);
});

test('above the first limit a vote requires a solved challenge, which is part of the page', async (t) => {
  const scene = await openVoting(t, NETWORK);
  await fill(scene, 2);
  const voter = await scene.voter();
  const page = await voter.open();
  assert.equal(page.status, 200);
  assert.match(page.text, /challenge\.js/);
  const refused = await voter.vote();
  assert.equal(refused.status, 403);
  assert.match(refused.text, /data-challenge=/);
  assert.equal((await voter.vote({ altcha: await solve(page) })).status, 303);
  assert.match((await voter.open()).text, /Your vote has been counted/);
});

test('visitors without JavaScript see when to come back', async (t) => {
  const scene = await openVoting(t, NETWORK);
  await fill(scene, 2);
  const voter = await scene.voter({ headers: { 'accept-language': 'fr' } });
  const back = new Date(scene.clock() + HOUR_MS).toISOString();
  const page = await voter.vote();
  assert.match(page.text, /data-challenge-status[^>]*>[^<]*JavaScript\. Sans JavaScript, revenez <time/);
  assert.ok(page.text.includes(`datetime="${back}"`));
  scene.clock.set(back);
  assert.equal((await voter.vote()).status, 303);
});

test('a solution is valid for one vote of one user for one guild, for twenty minutes', async (t) => {
  const scene = await openVoting(t, NETWORK);
  await fill(scene, 2);
  const voter = await scene.voter();
  const page = await voter.open();
  const altcha = await solve(page);
  const other = '300000000000000002';
  await scene.store.guilds.add({ guildId: other, name: 'Other', createdAt: scene.clock() });

  const elsewhere = await (await scene.voter({ userId: voter.userId, guildId: other })).vote({ altcha });
  assert.deepEqual([elsewhere.status, /does not belong to this vote/.test(elsewhere.text)], [403, true]);
  const stranger = await (await scene.voter()).vote({ altcha });
  assert.deepEqual([stranger.status, /does not belong to this vote/.test(stranger.text)], [403, true]);
  scene.clock.advance(20 * MINUTE_MS);
  const late = await voter.vote({ altcha });
  assert.deepEqual([late.status, /open for too long/.test(late.text)], [403, true]);
  assert.equal((await voter.vote({ altcha: await solve(late) })).status, 303);
});

test('a double click with one solution shows the vote that was counted', async (t) => {
  const scene = await openVoting(t, NETWORK);
  await fill(scene, 2);
  const voter = await scene.voter();
  const altcha = await solve(await voter.open());
  const answers = await Promise.all([voter.vote({ altcha }), voter.vote({ altcha })]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 303],
  );
  assert.match((await voter.open()).text, /Your vote has been counted/);
});

test('a forged or too cheap solution is rejected', async (t) => {
  const scene = await openVoting(t, NETWORK);
  await fill(scene, 2);
  const voter = await scene.voter();
  const page = await voter.open();
  const challenge = challengeIn(page);
  const solution = { counter: 1, derivedKey: `${challenge.parameters.keyPrefix}00` };
  const data = { ...challenge.parameters.data, maxAccounts: 1000 };
  const raised = { ...challenge, parameters: { ...challenge.parameters, data } };
  const real = JSON.parse(Buffer.from(await solve(page), 'base64').toString());
  for (const altcha of [
    'nonsense',
    encode(null),
    encode({ challenge }),
    encode({ challenge, solution }),
    encode({ challenge, solution: { ...solution, counter: 'x' } }),
    encode({ ...real, challenge: raised }),
    encode({ ...real, challenge: { ...challenge, signature: '' } }),
    encode({ challenge: { parameters: {}, signature: 'x' }, solution: {} }),
  ]) {
    const { status, text } = await voter.vote({ altcha });
    assert.deepEqual([status, /does not belong to this vote/.test(text)], [403, true], altcha);
  }
});

test('a solution is too cheap once many more accounts have voted, and a harder challenge is shown', async (t) => {
  const scene = await openVoting(t, NETWORK);
  await fill(scene, 2);
  const slow = await scene.voter();
  const cheap = await solve(await slow.open());
  await fill(scene, 3);
  const answer = await slow.vote({ altcha: cheap });
  assert.deepEqual([answer.status, /a longer check is required/.test(answer.text)], [403, true]);
  const again = await slow.vote({ altcha: cheap });
  assert.deepEqual([again.status, /was already used/.test(again.text)], [403, true]);
  assert.equal((await slow.vote({ altcha: await solve(answer) })).status, 303);
});

test('above the second limit nobody else can vote until the hour is over', async (t) => {
  const scene = await openVoting(t, NETWORK);
  await fill(scene, 7);
  scene.clock.advance(10 * MINUTE_MS);
  const voter = await scene.voter();
  for (const { status, headers, text } of [await voter.open(), await voter.vote()]) {
    assert.equal(status, 429);
    assert.equal(headers['retry-after'], '3000');
    assert.match(
      text,
      /Too many accounts voted from your network.*>in 50 min \(1:00\sPM UTC\)<.*data-countdown="3000".*data-notify/s,
    );
    assert.doesNotMatch(text, /192\.0\.2/);
  }
  assert.equal((await (await scene.voter({ ip: '192.0.2.11' })).vote()).status, 303);
  scene.clock.advance(50 * MINUTE_MS);
  assert.equal((await voter.vote()).status, 303);
});

test('behind a trusted proxy the network of the client counts', async (t) => {
  const transport = { kind: 'proxy', trusted: ['10.0.0.0/8'] } as const;
  const scene = await openVoting(t, NETWORK, { transport });
  const from = (client: string, proxy = '10.1.1.1') =>
    scene.voter({ ip: proxy, headers: { 'x-forwarded-for': client, 'x-forwarded-proto': 'https' } });
  for (let i = 0; i < 2; i += 1) assert.equal((await (await from('198.51.100.1')).vote()).status, 303);
  assert.equal((await (await from('198.51.100.1', '10.1.1.2')).vote()).status, 403);
  assert.equal((await (await from('198.51.100.2')).vote()).status, 303);
});

test('if the challenge store fails, limits hold, voting continues, and the failure is counted', async (t) => {
  const scene = await openVoting(t, NETWORK, {
    change: (store) => ({
      ...store,
      integrity: { ...store.integrity, useChallenge: () => Promise.reject(new Error('no such table')) },
    }),
  });
  await fill(scene, 7);
  assert.equal((await (await scene.voter()).vote()).status, 429);
  const text = await scene.metrics.text();
  assert.match(text, /votary_challenges_total\{event="store_failed"\} 5/);
  assert.match(text, /votary_challenges_total\{event="passed"\} 5/);
  assert.match(text, /votary_vote_refusals_total\{reason="busy_network"\} 1/);
});
