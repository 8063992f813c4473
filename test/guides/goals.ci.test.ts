import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GUILD } from '../cli/votary.ts';
import { startDiscordChannel } from '../webhooks/discord/discord-channel.ts';
import { run, unpackWithVotary } from './programs.ts';

describe('the guide for goals', () => {
  it('sets a vote party and sends a sample to a channel', async (t) => {
    const channel = await startDiscordChannel();
    const env = { DISCORD_WEBHOOK_URL: channel.url, VOTARY_DISCORD_API: channel.api };
    const place = await unpackWithVotary(t, 'goals', env);
    const { stdout } = await run('sh', ['vote-party.sh', GUILD], place);
    assert.match(stdout, /has a vote party every 50 votes; 0 votes so far\.\nDelivered: status 200/);
    assert.match(channel.messages[0]?.description ?? '', /reached its vote goal/);
  });
});
