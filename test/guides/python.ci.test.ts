import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { startLive } from '../clients/live.ts';
import { requirement } from '../support/requirement.ts';
import { assertRepeated, startLossyProxy } from './lossy-proxy.ts';
import { type Place, ROOT, run, start, unpackGuide, write } from './programs.ts';
import { environment, startStub, startUntrusted, watch } from './services.ts';

const NAME = 'Steve_42';

async function unpack(t: TestContext, env: Record<string, string>): Promise<Place> {
  const place = await unpackGuide(t, 'python', env);
  await copyFile(join(ROOT, 'clients/python/votary.py'), join(place.folder, 'votary.py'));
  return place;
}

const worker = (t: TestContext, place: Place) => watch(t, start('python3', ['worker.py'], place));
const claimNow = (place: Place) => run('python3', ['rewards.py', NAME], place);

/** The same program with code inserted before or after a reward; the returned function removes it. */
async function change({ folder }: Place, from: string, to: string): Promise<() => Promise<void>> {
  const source = await readFile(join(folder, 'rewards.py'), 'utf8');
  assert.ok(source.includes(from));
  await write(folder, 'rewards.py', source.replace(from, to));
  return () => write(folder, 'rewards.py', source);
}

describe('the Python guide', { skip: requirement('python') }, async () => {
  const live = await startLive();

  async function open(t: TestContext) {
    const community = await live.addCommunity();
    return { community, place: await unpack(t, environment(live.url, community.key, live.certificate)) };
  }

  it('rewards each vote once as it arrives, and votes during a downtime afterwards', async (t) => {
    const { community, place } = await open(t);
    const first = worker(t, place);
    await first.until('Waiting for votes\n');
    await community.cast({ externalId: NAME, minutesAgo: 60, isDoubled: true });
    await first.until('20 coins for Steve_42\nWaiting for votes\n');
    await first.kill();
    await community.cast({ externalId: NAME });
    await community.cast({ userId: '200000000000000002' });
    const second = worker(t, place);
    await second.until('Waiting for votes\n');
    assert.equal(
      second.printed(),
      '10 coins for Steve_42\n10 coins for 200000000000000002\nWaiting for votes\n',
    );
    await second.kill();
    assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 0, claimed: 2 });
  });

  it('rewards every vote once if the response to a claim is lost, and leaves it to other consumers', async (t) => {
    const community = await live.addCommunity();
    await community.cast({ externalId: NAME, minutesAgo: 120, isDoubled: true });
    await community.cast({ externalId: NAME });
    const proxy = await startLossyProxy(t, live.url);
    const place = await unpack(t, environment(proxy.url, community.key, proxy.certificate));
    const { stdout, stderr } = await claimNow(place);
    assert.deepEqual(
      { stdout, stderr },
      { stdout: '20 coins for Steve_42\n10 coins for Steve_42\n', stderr: '' },
    );
    assertRepeated(proxy);
    assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 0, claimed: 2 });
    assert.deepEqual(await community.claims(NAME, 'bot'), { claimable: 2, claimed: 0 });
  });

  it('starts again a day ago if the service does not know its cursor any more', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: NAME, minutesAgo: 60 });
    const first = worker(t, place);
    await first.until('Waiting for votes\n');
    await first.kill();
    const store = 'from rewards import db; db.execute("UPDATE feed SET cursor = ?", ("c.lost",))';
    assert.equal((await run('python3', ['-c', store], place)).code, 0);
    const program = worker(t, place);
    await program.until('10 coins for Steve_42\nWaiting for votes\n');
    assert.match(program.printed(), /INVALID_CURSOR: This cursor/);
    await program.kill();
    const again = worker(t, place);
    await community.cast({ externalId: NAME });
    await again.until('10 coins for Steve_42\nWaiting for votes\n');
    assert.doesNotMatch(again.printed(), /INVALID_CURSOR/);
    await again.kill();
  });

  it('rewards a player who joins hours after voting, once', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: NAME, minutesAgo: 5 * 60 });
    assert.equal((await claimNow(place)).stdout, '10 coins for Steve_42\n');
    assert.equal((await claimNow(place)).stdout, '');
  });

  for (const [name, from, to] of [
    ['before', '    amount = 20', '    os._exit(9)\n    amount = 20'],
    ['in the middle of', '        db.execute("COMMIT")', '        os._exit(9)'],
    ['after', '        db.execute("COMMIT")\n', '        db.execute("COMMIT")\n        os._exit(9)\n'],
  ] as const) {
    it(`rewards a vote once if it crashes ${name} the reward`, async (t) => {
      const { community, place } = await open(t);
      await community.cast({ externalId: NAME });
      const restore = await change(place, from, to);
      assert.equal((await claimNow(place)).code, 9);
      await restore();
      const repaired = worker(t, place);
      await repaired.until('Waiting for votes\n');
      await repaired.kill();
      const balance =
        'import sqlite3; print(sqlite3.connect("rewards.db").execute("SELECT * FROM coins").fetchall())';
      assert.equal((await run('python3', ['-c', balance], place)).stdout, "[('Steve_42', 10)]\n");
      assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 0, claimed: 1 });
    });
  }

  it('releases a vote if its reward failed', async (t) => {
    const { community, place } = await open(t);
    await community.cast({ externalId: NAME });
    const restore = await change(
      place,
      '    amount = 20',
      '    raise RuntimeError("the shop is closed")\n    amount = 20',
    );
    assert.match((await claimNow(place)).stderr, /the shop is closed/);
    assert.deepEqual(await community.claims(NAME, 'survival'), { claimable: 1, claimed: 0 });
    await restore();
    assert.match((await claimNow(place)).stdout, /^10 coins for Steve_42\n/);
  });

  it('shows the error of its own database, also if there was no vote', async (t) => {
    const { place } = await open(t);
    await change(
      place,
      '        db.execute("COMMIT")',
      '        raise sqlite3.OperationalError("disk I/O error")',
    );
    assert.match((await claimNow(place)).stderr, /disk I\/O error\n$/);
  });

  const faults: [name: string, env: (t: TestContext) => Promise<Record<string, string>>, message: RegExp][] =
    [
      [
        'a wrong key',
        async () => ({ ...environment(live.url, 'wrong', live.certificate) }),
        /^INVALID_API_TOKEN: /,
      ],
      ['a certificate', async (t) => (await startUntrusted(t)).env, /^CERTIFICATE_ERROR: .*SSL_CERT_FILE/],
      [
        'a page of something else',
        async (t) => (await startStub(t, { body: '<html>' })).env,
        /^INVALID_RESPONSE: /,
      ],
    ];
  for (const [name, env, message] of faults) {
    it(`exits with a message about ${name}`, async (t) => {
      const { code, stderr } = await run('python3', ['worker.py'], await unpack(t, await env(t)));
      assert.equal(code, 1);
      assert.match(stderr, message);
    });
  }
});
