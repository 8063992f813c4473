import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requirement } from '../../support/requirement.ts';
import { run, unpackGuide } from '../programs.ts';
import { NOWHERE, startDemo } from '../services.ts';

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

  it('exits with code 2 if the key is wrong or the service is unreachable', async (t) => {
    const wrongKey = await unpackGuide(t, 'listforge', { ...demo.env, VOTARY_API_KEY: 'wrong' });
    const refused = await run('sh', ['claim.sh', demo.name], wrongKey);
    assert.deepEqual([refused.code, refused.stderr], [2, 'Error: server key not found\n']);
    const nowhere = await unpackGuide(t, 'listforge', { ...demo.env, VOTARY_URL: NOWHERE });
    assert.equal((await run('sh', ['claim.sh', demo.name], nowhere)).code, 2);
  });
});
