import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { assertDone, GUILD, LAUNCHER, makeHome } from '../../cli/votary.ts';
import { type SignedRequest, startDiscord } from '../../support/discord/discord-app.ts';
import { freePort } from '../../support/free-port.ts';
import { serve } from '../../support/serve.ts';
import { run, unpackGuide, write } from '../programs.ts';

const VOTER = '200000000000000001';

describe('the guide for the Discord app', () => {
  it('results in an app whose endpoint Discord accepts, and whose commands work', async (t) => {
    const discord = await startDiscord();
    after(() => discord.close());
    const port = String(await freePort());
    const env = { ...discord.env, VOTARY_PORT: port, VOTARY_PUBLIC_URL: `https://127.0.0.1:${port}` };
    const home = await makeHome(env);
    await home.votary('guild', 'add', GUILD);
    const served = await serve(home);
    // As Discord does: a ping, and another one with a wrong signature.
    discord.verifyEndpoint = async (url) => {
      const ping = discord.signed(discord.ping());
      const forged = { ...ping, headers: { ...ping.headers, 'x-signature-ed25519': 'ab'.repeat(64) } };
      const [right, wrong] = [await post(url, ping), await post(url, forged)];
      return right.status === 200 && right.body.type === 1 && wrong.status === 401;
    };
    const place = await unpackGuide(t, 'discord-app', { ...env, VOTARY_DATA_DIR: home.dataDir });
    await write(place.folder, 'bin/votary', `exec "${process.execPath}" "${LAUNCHER}" "$@"\n`);
    const path = `${join(place.folder, 'bin')}:${process.env.PATH}`;
    await run('chmod', ['+x', 'bin/votary'], place);
    const registered = await run('sh', ['register.sh'], { ...place, env: { ...place.env, PATH: path } });
    assertDone(registered);
    assert.doesNotMatch(registered.stdout, /MISSING|FAILED/);

    const vote = discord.signed(discord.command('vote', { guildId: GUILD, userId: VOTER }));
    const { body } = await post(String(discord.endpointUrl), vote);
    assert.match(JSON.stringify(body), /has been counted/);
    assert.equal(await served.stop(), 0);
  });
});

async function post(url: string, { payload, headers }: SignedRequest) {
  const call = request(url, { method: 'POST', headers, rejectUnauthorized: false, agent: false });
  call.end(payload);
  const [response] = await once(call, 'response');
  return { status: response.statusCode, body: JSON.parse(await text(response)) };
}
