/** The examples of the Developer & API page, run as an admin would paste them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { GUIDES_PATH } from '../../../src/api/openapi/introduction.ts';
import { examplesOf } from '../../../src/site/dashboard/key/examples.ts';
import { DEMO_OPERATORS } from '../../../src/site/sign-in/demo-sign-in.ts';
import { startLive } from '../../clients/live.ts';
import { temporaryFolder } from '../../http/support.ts';
import { onSqlite } from '../../support/api.ts';
import { requirement } from '../../support/requirement.ts';
import { openDashboard } from './open-dashboard.ts';

const USER = '200000000000000001';
const NAME = 'Steve_42';
const [ALEX = ''] = DEMO_OPERATORS;
const run = promisify(execFile);

describe('the examples', async () => {
  const live = await startLive();
  const programs: [id: string, file: string, command: string, skip: string | false][] = [
    ['curl', 'claim.sh', 'sh', requirement('curl')],
    ['node', 'claim.mjs', process.execPath, false],
    ['php', 'claim.php', 'php', requirement('php')],
    ['python', 'claim.py', 'python3', requirement('python')],
  ];
  for (const [id, file, command, skip] of programs) {
    it(`claim a vote once with ${id}`, { skip }, async (t) => {
      const community = await live.addCommunity();
      await community.cast({ externalId: NAME });
      const claim = await unpack(t, file, { id, key: community.key });
      assert.match(await claim(command), new RegExp(`Reward ${USER} for vote_|"claimed":true`));
      assert.match(await claim(command), /No vote to reward|"claimed":false/);
      assert.deepEqual(await community.claims(NAME), { claimable: 0, claimed: 1 });
    });
  }

  async function unpack(t: TestContext, file: string, { id, key }: { id: string; key: string }) {
    const folder = await temporaryFolder(t);
    const example = examplesOf({ site: live.url, userId: USER, key }).find((one) => one.id === id);
    await writeFile(join(folder, file), example?.code ?? '');
    const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };
    return async (command: string) => (await run(command, [file], { cwd: folder, env })).stdout;
  }
});

onSqlite('the page Developer & API', (open) => {
  test('claims the vote of the admin first, then checks one, and links the guides and clients', async (t) => {
    const { alex, path, guildId } = await openDashboard(t, await open());
    const { text } = await alex.get(path('/key'));
    const claim = text.indexOf(`/v7/guild/claims?discord_id=${ALEX}`);
    const check = text.indexOf('/v7/vote-check?');
    assert.ok(claim > 0 && check > claim, `${claim} ${check}`);
    assert.ok(text.includes(`<a href="/guild/${guildId}/vote">`));
    for (const guide of ['discord-bot-node', 'minecraft-paper', 'php-cms', 'python', 'webhooks'])
      assert.ok(text.includes(`href="${GUIDES_PATH}/${guide}"`), guide);
    assert.ok(text.includes('href="/docs/clients"'));
    const french = await alex.get(path('/key'), { 'accept-language': 'fr' });
    assert.match(
      french.text,
      /Récompenser un vote[\s\S]*Vérifier un vote[\s\S]*Continuer sur votre plateforme/,
    );
  });
});
