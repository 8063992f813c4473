import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { rateLimited, VOTED } from '../sdk/support/bodies.ts';
import { requirement } from '../support/requirement.ts';
import { type Place, run, start, unpackGuide, write } from './programs.ts';
import {
  LIMITED_FOR_A_SECOND,
  LIMITED_FOR_LONG,
  NOWHERE,
  startDemo,
  startStub,
  startUntrusted,
  VOTE,
} from './services.ts';

/** The folder of the guide with one beside it for what was rewarded. */
async function unpack(t: TestContext, env: Record<string, string>): Promise<Place> {
  const { folder } = await unpackGuide(t, 'php-cms');
  await mkdir(join(folder, 'rewards'));
  return { folder, env: { ...env, REWARDS_DIR: join(folder, 'rewards') } };
}

const trusting = (env: Record<string, string>) => ['-d', `curl.cainfo=${env.SSL_CERT_FILE}`];

function claim(place: Place, name = 'Steve_42') {
  return run('php', [...trusting(place.env), 'claim.php', name], place);
}

describe('the PHP guide', { skip: requirement('php') }, async () => {
  const demo = await startDemo();

  it('rewards one vote once, however often it is claimed', async (t) => {
    const place = await unpack(t, demo.env);
    const claims = [await claim(place), await claim(place), await claim(place)];
    assert.deepEqual(
      claims.map(({ stdout }) => stdout.slice(0, 14)),
      ['Thank you, Ste', 'You have your ', 'You have your '],
    );
    assert.match(claims.map(({ stderr }) => stderr).join(''), /^A reward for Steve_42.*\n$/);
  });

  it('rewards one vote once when it is claimed many times at once', async (t) => {
    const place = await unpack(t, (await startStub(t, VOTE)).env);
    // A reward that takes a while, as a real one does.
    const page = await readFile(join(place.folder, 'claim.php'), 'utf8');
    await write(
      place.folder,
      'claim.php',
      page.replace('// Your own code', 'usleep(300_000); // Your own code'),
    );
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim(place)));
    assert.equal(claims.filter(({ stdout }) => stdout.startsWith('Thank you')).length, 1);
    assert.equal(claims.filter(({ stderr }) => stderr.startsWith('A reward')).length, 1);
  });

  it('rewards the next vote too', async (t) => {
    const later = { ...VOTED, last_vote_at: '2026-11-15T12:30:00.000Z' };
    const place = await unpack(t, (await startStub(t, VOTE, { body: later })).env);
    const claims = [await claim(place), await claim(place), await claim(place)];
    assert.equal(claims.filter(({ stdout }) => stdout.startsWith('Thank you')).length, 2);
  });

  it('shows the link to those who have not voted, with their name and the way back', async (t) => {
    const { stdout } = await claim(await unpack(t, demo.env), 'Élodie & "Co"');
    const href = /<a href="([^"]+)">/.exec(stdout)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.deepEqual(Object.fromEntries(new URL(href).searchParams), {
      external_id: 'Élodie & "Co"',
      return_to: 'https://shop.example.org/claim.php',
    });
  });

  it('does not believe a name in the address', async (t) => {
    const place = await unpack(t, demo.env);
    const server = start(
      'php',
      ['-d', 'register_argc_argv=1', ...trusting(place.env), '-S', '127.0.0.1:0'],
      place,
    );
    t.after(() => server.kill());
    assert.ok(server.stderr);
    const [line] = await once(server.stderr.setEncoding('utf8'), 'data');
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    const answer = await fetch(`${address}/claim.php?x+Steve_42&member=Steve_42`);
    assert.match(await answer.text(), /^Please sign in first/);
  });

  it('waits as long as it is told', async (t) => {
    const { env, pausesMs } = await startStub(t, LIMITED_FOR_A_SECOND, VOTE);
    assert.match((await claim(await unpack(t, env))).stdout, /^Thank you/);
    assert.ok(pausesMs().length === 1 && pausesMs().every((pause) => pause >= 1000), `${pausesMs()}`);
  });

  it('gives up at once when it is told to wait longer than anybody would', async (t) => {
    for (const reply of [LIMITED_FOR_LONG, rateLimited(6)]) {
      const { env, requests } = await startStub(t, reply, VOTE);
      const { stdout, stderr } = await claim(await unpack(t, env));
      assert.match(stdout, /^Your vote could not be checked\. Please try again in \d+ seconds\./);
      assert.match(stderr, /^RATE_LIMITED: /);
      assert.equal(requests(), 1);
    }
  });

  const wrong = (env: Record<string, string>) => ({ ...env, VOTARY_API_KEY: 'wrong' });
  const faults: [name: string, env: (t: TestContext) => Promise<Record<string, string>>, log: RegExp][] = [
    ['a wrong key', async () => wrong(demo.env), /^INVALID_API_TOKEN: /],
    [
      'a service that does not answer',
      async () => ({ ...demo.env, VOTARY_URL: NOWHERE }),
      /^NETWORK_ERROR: .*connect/i,
    ],
    [
      'a page of something else',
      async (t) => (await startStub(t, { body: '<html>' })).env,
      /^INVALID_RESPONSE: .*200/,
    ],
  ];
  for (const [name, env, log] of faults) {
    it(`logs ${name}, and tells the member to try again`, async (t) => {
      const { stdout, stderr } = await claim(await unpack(t, await env(t)));
      assert.match(stderr, log);
      assert.match(stdout, /^Your vote could not be checked/);
    });
  }

  it('names a certificate that is not trusted, at once', async (t) => {
    const { env, connections } = await startUntrusted(t);
    const { stderr } = await claim(await unpack(t, env));
    assert.match(stderr, /^CERTIFICATE_ERROR: .*certificate.*curl\.cainfo/i);
    assert.equal(connections(), 1);
  });
});
