import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, formatInstant } from '../../src/domain/clock.ts';
import { assertDone } from '../cli/votary.ts';
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

describe('the Python guide', { skip: requirement('python') }, async () => {
  const demo = await startDemo();

  it('says who has voted', async (t) => {
    const voted = await run('python3', ['votary.py', demo.name], await unpackGuide(t, 'python', demo.env));
    assertDone(voted);
    assert.match(voted.stdout, /^Steve_42 has voted, and can again in \d+ seconds\n$/);
  });

  it('prints a vote link that leads to the name it was given, whatever that is', async (t) => {
    const name = 'Élodie & Co #1';
    const args = ['votary.py', name, 'https://shop.example.org/?a=1&b=2'];
    const { stdout } = await run('python3', args, await unpackGuide(t, 'python', demo.env));
    const link = new URL(/^Élodie & Co #1 has not voted: (\S+)\n$/.exec(stdout)?.[1] ?? '');
    assert.equal(link.origin, demo.url);
    assert.deepEqual(
      [...link.searchParams],
      [
        ['external_id', name],
        ['return_to', 'https://shop.example.org/?a=1&b=2'],
      ],
    );
  });

  it('lists all votes', async (t) => {
    const period = [formatInstant(Date.now() - 30 * DAY_MS), formatInstant(Date.now())];
    const place = await unpackGuide(t, 'python', demo.env);
    const listed = await run('python3', ['list_votes.py', ...period], place);
    assertDone(listed);
    assert.ok(listed.stdout.split('\n').length > 50);
  });

  it('tells a wrong key', async (t) => {
    const place = await unpackGuide(t, 'python', { ...demo.env, VOTARY_API_KEY: 'wrong' });
    const { code, stderr } = await run('python3', ['votary.py', demo.name], place);
    assert.equal(code, 1);
    assert.match(stderr, /^INVALID_API_TOKEN: /);
  });

  it('waits as long as it is told', async (t) => {
    const { env, pausesMs } = await startStub(t, LIMITED_FOR_A_SECOND, VOTE);
    const { code } = await run('python3', ['votary.py', 'Steve_42'], await unpackGuide(t, 'python', env));
    assert.equal(code, 0);
    assert.ok(pausesMs().length === 1 && pausesMs().every((pause) => pause >= 1000), `${pausesMs()}`);
  });

  it('gives up at once when it is told to wait longer than anybody would', async (t) => {
    const { env, requests } = await startStub(t, LIMITED_FOR_LONG, VOTE);
    const { stderr } = await run('python3', ['votary.py', 'Steve_42'], await unpackGuide(t, 'python', env));
    assert.match(stderr, /^RATE_LIMITED: .*59 seconds/);
    assert.equal(requests(), 1);
  });

  it('names a certificate that is not trusted, at once', async (t) => {
    const { env, connections } = await startUntrusted(t);
    const { stderr } = await run('python3', ['votary.py', 'Steve_42'], await unpackGuide(t, 'python', env));
    assert.match(stderr, /^CERTIFICATE_ERROR: .*self.signed certificate.*SSL_CERT_FILE/);
    assert.equal(connections(), 1);
  });

  it('tells an answer that is not of the API', async (t) => {
    const { env } = await startStub(t, { body: '<html>' });
    const { stderr } = await run('python3', ['votary.py', 'Steve_42'], await unpackGuide(t, 'python', env));
    assert.match(stderr, /^INVALID_RESPONSE: /);
  });

  it('says that nothing answers', async (t) => {
    const place = await unpackGuide(t, 'python', { ...demo.env, VOTARY_URL: NOWHERE });
    const { stderr } = await run('python3', ['votary.py', 'Steve_42'], place);
    assert.match(stderr, /^NETWORK_ERROR: .*refused/);
  });
});
