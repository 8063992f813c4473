import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { GUILD } from '../cli/votary.ts';
import { startLive } from '../clients/live.ts';
import {
  addSdk,
  filesOf,
  type Place,
  ROOT,
  run,
  start,
  unpackGuide,
  unpackWithVotary,
  write,
} from './programs.ts';
import { environment, startDemo, watch } from './services.ts';

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

  it('rewards a vote once although its message arrives twice', async (t) => {
    const live = await startLive();
    const community = await live.addCommunity();
    await community.cast({ externalId: 'Steve' });
    const env = environment(live.url, community.key, live.certificate);
    const place = await unpackGuide(t, 'topgg', { ...env, TOPGG_SECRET: 'my secret', PORT: '0' });
    const rewards = (await filesOf('discord-bot-node')).find(({ name }) => name === 'rewards.mjs');
    await write(place.folder, 'rewards.mjs', rewards?.text ?? '');
    await addSdk(place.folder);
    for (const name of ['@top-gg', 'express'])
      await symlink(join(ROOT, 'node_modules', name), join(place.folder, 'node_modules', name));
    const receiver = watch(t, start(process.execPath, ['claiming-receiver.mjs'], place));
    await receiver.until(/port \d+\n/);
    const [, port] = /port (\d+)\n/.exec(receiver.printed()) ?? [];
    const user = '200000000000000001';
    const message = { guild: community.guildId, user, type: 'upvote', query: '?external_id=Steve' };
    const send = (body: object) =>
      fetch(`http://127.0.0.1:${port}/dblwebhook`, {
        method: 'POST',
        headers: { authorization: 'my secret', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const body of [{ ...message, type: 'test' }, message, message])
      assert.equal((await send(body)).status, 204);
    await receiver.until(`${user} was rewarded for 1 votes\n${user} was rewarded for 0 votes\n`);
    assert.deepEqual(await community.claims('Steve', 'bot'), { claimable: 0, claimed: 1 });
  });

  it('checks a vote by URL, and with the SDK after its requests are redirected', async (t) => {
    const demo = await startDemo();
    const place = await unpackGuide(t, 'topgg', demo.env);
    await install(place);
    const node = (file: string, user: string) => run(process.execPath, [file, user], place);
    const voted = await node('check.mjs', demo.user);
    assert.deepEqual(voted, { code: 0, stdout: 'voted\n', stderr: '' });
    assert.equal((await node('check.mjs', '299999999999999999')).stdout, 'not voted\n');
    assert.match((await node('check.mjs', 'Steve')).stderr, /15 to 20 digits/);
    const sdk = await node('client.mjs', demo.user);
    assert.match(sdk.stdout, /^voted\nvotes are (?:not )?doubled\n$/, sdk.stderr);
    await write(place.folder, 'others.mjs', OTHER_CLIENTS);
    const others = await run(process.execPath, ['others.mjs', demo.user], place);
    assert.deepEqual(others, { code: 0, stdout: 'true true true\n', stderr: '' });
  });

  it('imports past votes as claimed', async (t) => {
    const place = await unpackWithVotary(t, 'topgg', {});
    const vote = { platform_id: '200000000000000001', weight: 1, created_at: '2026-01-28T02:19:19.145733Z' };
    await write(place.folder, 'pages.json', JSON.stringify({ cursor: 'x', data: [vote] }));
    const imported = await run('sh', ['import-votes.sh', GUILD, 'pages.json'], place);
    assert.deepEqual(imported, { code: 0, stdout: '1 vote imported, 0 already existed.\n', stderr: '' });
  });
});

/** The list of the SDK, topgg-votes, which has its own SDK, and a request to another address, which is not redirected. */
const OTHER_CLIENTS = `
  import { createRequire } from 'node:module';
  import './votary-dispatcher.mjs';
  import Topgg from '@top-gg/sdk';
  import { VoteClient } from 'topgg-votes';
  const [user] = process.argv.slice(2);
  const list = await new Topgg.Api(process.env.VOTARY_API_KEY).getVotes();
  const hasVoted = await new VoteClient({ token: process.env.VOTARY_API_KEY }).hasVoted(user);
  const { request } = createRequire(import.meta.resolve('@top-gg/sdk'))('undici');
  const other = await request(process.env.VOTARY_URL + '/healthz');
  console.log(list.some(({ id }) => id === user), hasVoted, other.statusCode === 200);
`;
