import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { assertDone } from '../cli/votary.ts';
import { temporaryFolder } from '../http/support.ts';
import { VOTED } from '../sdk/support/bodies.ts';
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

/** Starts faster; Java is started many times here. */
const QUICK = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

/** The guide's programs, compiled as it says. */
async function compile(t: TestContext): Promise<string> {
  const place = await unpackGuide(t, 'java-game-server');
  assertDone(await run('sh', ['-c', 'javac -J-XX:TieredStopAtLevel=1 *.java'], place));
  return place.folder;
}

/** A player's server: a folder that keeps its rewards, and a trust store that is made as the curl guide says. */
async function openServer(t: TestContext, classes: string, service: { env: Record<string, string> }) {
  const folder = await temporaryFolder(t);
  const trust = ['-importcert', '-noprompt', '-alias', 'votary', '-file', service.env.SSL_CERT_FILE ?? ''];
  const imported = await run('keytool', [...trust, '-keystore', 'demo.p12', '-storepass', 'changeit'], {
    folder,
    env: {},
  });
  assert.equal(imported.code, 0, imported.stderr);
  const store = ['-Djavax.net.ssl.trustStore=demo.p12', '-Djavax.net.ssl.trustStorePassword=changeit'];
  return (name = 'Steve_42', env: Record<string, string> = {}) =>
    run('java', [...QUICK, ...store, '-cp', classes, 'TryIt', name], {
      folder,
      env: { ...service.env, ...env },
    });
}

describe('the Java guide', { skip: requirement('java') }, () => {
  it('rewards one vote once, and tells every failure in words', async (t) => {
    const classes = await compile(t);
    const demo = await startDemo();
    const tryIt = await openServer(t, classes, demo);
    const checks = [await tryIt(), await tryIt(), await tryIt()];
    const again = { code: 0, stdout: 'Steve_42 has been rewarded for this vote already\n', stderr: '' };
    assert.deepEqual(checks, [{ code: 0, stdout: 'A reward for Steve_42\n', stderr: '' }, again, again]);
    assert.equal((await tryIt('Alex & Co')).stdout, 'Alex & Co has not voted\n');

    const refused = await tryIt('Steve_42', { VOTARY_API_KEY: 'wrong' });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /: status 401: This API key opens no community/);
    const nowhere = await tryIt('Steve_42', { VOTARY_URL: NOWHERE });
    assert.match(nowhere.stderr, /: the service cannot be reached: .*ConnectException/);
    const untrusted = await startUntrusted(t);
    const distrusted = await tryIt('Steve_42', { VOTARY_URL: untrusted.env.VOTARY_URL ?? '' });
    assert.match(distrusted.stderr, /: the certificate of the service is not accepted: \S/);
    assert.equal(untrusted.connections(), 1);

    const next = { body: { ...VOTED, last_vote_at: '2026-11-15T12:30:00.000Z' } };
    const service = await startStub(t, LIMITED_FOR_A_SECOND, VOTE, next, LIMITED_FOR_LONG);
    const tryStub = await openServer(t, classes, service);
    assert.equal((await tryStub()).stdout, 'A reward for Steve_42\n');
    assert.ok((service.pausesMs()[0] ?? 0) >= 1000, `${service.pausesMs()}`);
    assert.equal((await tryStub()).stdout, 'A reward for Steve_42\n', 'the next vote is rewarded too');
    assert.match((await tryStub()).stderr, /: status 429: Too many requests\.\n$/);
    assert.equal(service.requests(), 4, 'a request too early');
  });
});
