import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, formatInstant } from '../../src/domain/clock.ts';
import { assertDone } from '../cli/votary.ts';
import { pageBody } from '../sdk/support/bodies.ts';
import { requirement } from '../support/requirement.ts';
import { run, unpackGuide } from './programs.ts';
import {
  LIMITED_FOR_A_SECOND,
  LIMITED_FOR_LONG,
  NOWHERE,
  startDemo,
  startStub,
  startUntrusted,
  VOTE,
} from './services.ts';

describe('the curl guide', { skip: requirement('curl') }, async () => {
  const demo = await startDemo();

  it('asks in one call, by id and by name', async (t) => {
    const place = await unpackGuide(t, 'curl', demo.env);
    for (const script of ['one-call.sh', 'by-name.sh']) {
      const answer = await run('sh', [script], place);
      assertDone(answer);
      assert.equal(JSON.parse(answer.stdout).has_voted, true);
    }
  });

  it('tells a script who has voted by its exit code', async (t) => {
    const place = await unpackGuide(t, 'curl', demo.env);
    const voted = await run('sh', ['check-vote.sh', demo.name], place);
    assert.deepEqual(voted, { code: 0, stdout: `${demo.name} has voted\n`, stderr: '' });
    const stranger = await run('sh', ['check-vote.sh', 'Élodie & Co'], place);
    assert.deepEqual(stranger, { code: 1, stdout: 'Élodie & Co has not voted\n', stderr: '' });
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

  it('says with exit code 2 that a key is wrong', async (t) => {
    const place = await unpackGuide(t, 'curl', { ...demo.env, VOTARY_API_KEY: 'wrong' });
    const { code, stderr } = await run('sh', ['check-vote.sh', demo.name], place);
    assert.equal(code, 2);
    assert.match(stderr, /INVALID_API_TOKEN/);
  });

  it('waits as long as it is told, and prints only the answer that counts', async (t) => {
    const check = await startStub(t, LIMITED_FOR_A_SECOND, VOTE);
    const checked = await run('sh', ['check-vote.sh', 'Steve_42'], await unpackGuide(t, 'curl', check.env));
    assert.deepEqual([checked.code, checked.stdout], [0, 'Steve_42 has voted\n']);
    assert.ok(check.pausesMs().every((pause) => pause >= 1000));
    const list = await startStub(t, LIMITED_FOR_A_SECOND, { body: pageBody() });
    const listed = await run(
      'sh',
      ['all-votes.sh', '2026-11-01', '2026-11-02'],
      await unpackGuide(t, 'curl', list.env),
    );
    assert.equal(listed.code, 0);
    assert.deepEqual(JSON.parse(listed.stdout), pageBody());
  });

  it('gives up at once when it is told to wait longer than anybody would', async (t) => {
    const { env, requests } = await startStub(t, LIMITED_FOR_LONG, VOTE);
    const { code, stderr } = await run(
      'sh',
      ['check-vote.sh', 'Steve_42'],
      await unpackGuide(t, 'curl', env),
    );
    assert.equal(code, 2);
    assert.match(stderr, /RATE_LIMITED.*"retry_after":59/);
    assert.equal(requests(), 1);
  });

  it('names a certificate that is not trusted, at once', async (t) => {
    const { env, connections } = await startUntrusted(t);
    const { code, stderr } = await run(
      'sh',
      ['check-vote.sh', 'Steve_42'],
      await unpackGuide(t, 'curl', env),
    );
    assert.deepEqual([code, connections()], [2, 1]);
    assert.match(stderr, /certificate/);
  });

  it('says that nothing answers', async (t) => {
    const place = await unpackGuide(t, 'curl', { ...demo.env, VOTARY_URL: NOWHERE });
    const { code, stderr } = await run('sh', ['check-vote.sh', 'Steve_42'], place);
    assert.equal(code, 2);
    assert.match(stderr, /Failed to connect|Couldn't connect/);
  });
});
