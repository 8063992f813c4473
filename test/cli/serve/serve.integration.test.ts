import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { it } from 'node:test';
import { makeHome } from '../votary.ts';
import { ANY_PORT, field, stopWith, untilPrinted } from './started.ts';

/** Sends the request of a printed curl command. */
async function runCurl(line: string): Promise<unknown> {
  const match = /^curl -sk "(https:[^"]+)" -H "Authorization: (Bearer vty_\w+)"$/.exec(line);
  assert.ok(match, line);
  const [, address = '', authorization = ''] = match;
  const call = request(address, { headers: { authorization }, rejectUnauthorized: false, agent: false });
  call.end();
  const [response] = await once(call, 'response');
  return json(response);
}

it('votary serve --demo prints curl commands that all work, and exits with 0 when stopped', async () => {
  const home = await makeHome(ANY_PORT);
  const child = home.start('serve', '--demo');
  const banner = await untilPrinted(child, /Stop with Ctrl\+C/);
  const curls = banner.split('\n').filter((line) => line.startsWith('curl'));
  const [byUser, byName, votes, userVotes] = await Promise.all(curls.map(runCurl));
  assert.deepEqual([field(byUser, 'has_voted'), field(byName, 'has_voted')], [true, true]);
  assert.deepEqual([field(votes, 'ok'), field(userVotes, 'ok')], [true, true]);
  assert.ok(Number(field(userVotes, 'total')) >= 1);
  assert.equal(await stopWith(child, 'SIGTERM'), 0);
});
