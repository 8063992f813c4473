import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GUILD } from '../../cli/votary.ts';
import { startDiscordChannel } from '../../webhooks/discord/discord-channel.ts';
import { run, unpackWithVotary } from '../programs.ts';

describe('the guide for channel messages', () => {
  it('adds a channel and sends a sample vote to it', async (t) => {
    const channel = await startDiscordChannel();
    const env = { DISCORD_WEBHOOK_URL: channel.url, VOTARY_DISCORD_API: channel.api };
    const place = await unpackWithVotary(t, 'discord-channel', env);
    const added = await run('sh', ['add-channel.sh', GUILD], place);
    assert.match(added.stdout, /^Delivered: status 200/);
    assert.match(channel.messages[0]?.description ?? '', /^\*\*Votary\\_Test\*\* voted for/);
    const wrong = { ...place, env: { ...place.env, DISCORD_WEBHOOK_URL: 'https://example.org/' } };
    const refused = await run('sh', ['add-channel.sh', GUILD], wrong);
    assert.match(refused.stderr, /not the webhook URL of a Discord channel/);
  });
});
