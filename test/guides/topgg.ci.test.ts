import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { GUILD } from '../cli/votary.ts';
import { type Place, ROOT, run, start, unpackWithVotary } from './programs.ts';
import { watch } from './services.ts';

/** The packages that a reader installs. */
function install({ folder }: Place): Promise<void> {
  return symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

describe('the guide for top.gg', () => {
  it('adds a receiver that was written for top.gg, which accepts a test', async (t) => {
    const env = { TOPGG_SECRET: 'my secret', VOTARY_WEBHOOK_ALLOW: '127.0.0.1', PORT: '0' };
    const place = await unpackWithVotary(t, 'topgg', env);
    await install(place);
    const receiver = watch(t, start(process.execPath, ['receiver.mjs'], place));
    await receiver.until(/port \d+\n/);
    const [, port] = /port (\d+)\n/.exec(receiver.printed()) ?? [];
    const url = `http://127.0.0.1:${port}/dblwebhook`;
    const added = await run('sh', ['add-receiver.sh', GUILD, url, 'topgg-v0'], place);
    assert.match(added.stdout, /^Delivered: status 204 after \d+ ms/, added.stderr);
    await receiver.until(`test ${GUILD} 200000000000000001 Votary_Test\n`);
    const wrong = { ...place, env: { ...place.env, TOPGG_SECRET: 'wrong' } };
    const refused = await run('sh', ['add-receiver.sh', GUILD, url, 'topgg-v0'], wrong);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /status 403.*the receiver rejected the secret/);
  });
});
