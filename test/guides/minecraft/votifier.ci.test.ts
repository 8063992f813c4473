import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GUILD } from '../../cli/votary.ts';
import { startVotifierServer } from '../../webhooks/votifier/votifier-server.ts';
import { run, unpackWithVotary } from '../programs.ts';

describe('the guide for NuVotifier', () => {
  it('adds a server, which accepts a test vote', async (t) => {
    const server = await startVotifierServer({ token: 'a-long-random-token' });
    const env = { VOTIFIER_TOKEN: 'a-long-random-token', VOTARY_WEBHOOK_ALLOW: '127.0.0.1' };
    const place = await unpackWithVotary(t, 'votifier', env);
    const added = await run('sh', ['add-server.sh', GUILD, server.address], place);
    assert.match(added.stdout, /^Delivered: accepted after \d+ ms/);
    assert.deepEqual(
      server.votes.map(({ username, serviceName }) => [username, serviceName]),
      [['Votary_Test', 'votes.example.org']],
    );
    const wrong = { ...place, env: { ...place.env, VOTIFIER_TOKEN: 'wrong' } };
    const refused = await run('sh', ['add-server.sh', GUILD, server.address], wrong);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /the server rejected the token/);
  });
});
