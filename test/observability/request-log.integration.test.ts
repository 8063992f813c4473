import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from '../cli/votary.ts';
import { DEMO_GUILD, enterDemo } from '../security/secrets/use-everything.ts';
import { newHttpsVisitor } from '../support/https-visitor.ts';
import { serve } from '../support/serve.ts';

test('a request line contains the guild of the key, and on the site the guild of the page and the signed-in user', async () => {
  const home = await makeHome({ VOTARY_PORT: '0', VOTARY_LOG_LEVEL: 'info' });
  const served = await serve(home, '--demo');
  const { key } = Object(await home.json('key', 'show', DEMO_GUILD));
  await served.get('/v7/guild/votes', key);
  await served.get('/v7/guild/votes', 'wrong');
  const visitor = newHttpsVisitor(served.url);
  await visitor.get(`/guild/${DEMO_GUILD}/vote`);
  await visitor.get('/guild/not-an-id/vote');
  await enterDemo(visitor);
  await visitor.get(`/dashboard/${DEMO_GUILD}/key`);
  visitor.close();
  await served.untilPrinted('/key"');
  assert.equal(await served.stop(), 0);
  const lines = served
    .printed()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
  const names = lines
    .filter(({ url }) => url !== '/sign-in')
    .map(({ url, guild, user }) => [url, guild, user]);
  assert.deepEqual(names, [
    ['/v7/guild/votes', DEMO_GUILD, undefined],
    ['/v7/guild/votes', undefined, undefined],
    [`/guild/${DEMO_GUILD}/vote`, DEMO_GUILD, undefined],
    ['/guild/not-an-id/vote', undefined, undefined],
    [`/dashboard/${DEMO_GUILD}/key`, DEMO_GUILD, '200000000000000101'],
  ]);
});
