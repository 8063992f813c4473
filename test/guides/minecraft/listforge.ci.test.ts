import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startLive } from '../../clients/live.ts';
import { requirement } from '../../support/requirement.ts';
import { assertRepeated, startLossyProxy } from '../lossy-proxy.ts';
import { run, unpackGuide } from '../programs.ts';
import { environment, NOWHERE, startDemo } from '../services.ts';

describe('the guide for ListForge plugins', { skip: requirement('curl') }, async () => {
  const demo = await startDemo();

  it('claims one reward, and no second one', async (t) => {
    const place = await unpackGuide(t, 'listforge', demo.env);
    const name = demo.name.toUpperCase();
    const first = await run('sh', ['claim.sh', name], place);
    assert.deepEqual(first, { code: 0, stdout: `${name} gets a reward\n`, stderr: '' });
    const again = await run('sh', ['claim.sh', name], place);
    assert.deepEqual(again, { code: 1, stdout: `${name} was rewarded already\n`, stderr: '' });
    const stranger = await run('sh', ['claim.sh', 'Élodie & Co'], place);
    assert.deepEqual(stranger, { code: 1, stdout: 'Élodie & Co has not voted\n', stderr: '' });
  });

  it('rewards a vote once if the response to the claim is lost', async (t) => {
    const live = await startLive();
    const community = await live.addCommunity();
    await community.cast({ externalId: 'Steve', minutesAgo: 120 });
    await community.cast({ externalId: 'Steve' });
    const proxy = await startLossyProxy(t, live.url, (_method, path) => path.includes('element=reward'));
    const env = environment(proxy.url, community.key, proxy.certificate);
    const place = await unpackGuide(t, 'listforge', env);
    const claim = async () => {
      const { code, stdout } = await run('sh', ['claim.sh', 'Steve'], place);
      return [code, stdout];
    };
    assert.deepEqual(await claim(), [2, '']);
    assert.deepEqual(await claim(), [0, 'Steve gets a reward\n']);
    assertRepeated(proxy);
    assert.deepEqual(await claim(), [0, 'Steve gets a reward\n']);
    assert.deepEqual(await claim(), [1, 'Steve was rewarded already\n']);
  });

  it('exits with code 2 if the key is wrong or the service is unreachable', async (t) => {
    const wrongKey = await unpackGuide(t, 'listforge', { ...demo.env, VOTARY_API_KEY: 'wrong' });
    const refused = await run('sh', ['claim.sh', demo.name], wrongKey);
    assert.deepEqual([refused.code, refused.stderr], [2, 'Error: server key not found\n']);
    const nowhere = await unpackGuide(t, 'listforge', { ...demo.env, VOTARY_URL: NOWHERE });
    assert.equal((await run('sh', ['claim.sh', demo.name], nowhere)).code, 2);
  });
});
