import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { buildProgram } from '../../src/cli/main.ts';
import { assertBadUsage, assertDone, assertFailed, GUILD, makeHome } from './votary.ts';

const COMMANDS = [
  'serve',
  'migrate',
  'guild',
  'guild add',
  'guild list',
  'guild show',
  'guild remove',
  'key',
  'key generate',
  'key show',
  'key revoke',
  'premium',
  'premium grant',
  'premium revoke',
  'sanction',
  'sanction add',
  'sanction lift',
  'votes',
  'votes import',
  'votes export',
  'backup',
  'restore',
  'secret',
  'secret rotate',
];

/** In this process: twenty more processes would take seconds and test nothing else. */
async function helpOf(command: string): Promise<string> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const args = [...command.split(' '), '--help'];
  const program = await buildProgram(args, { environment: {}, clock: Date.now, stdin, stdout, stderr });
  await assert.rejects(program.parseAsync(args, { from: 'user' }), { exitCode: 0 });
  stdout.end();
  return text(stdout);
}

describe('the command line', { concurrency: 4 }, () => {
  for (const command of COMMANDS) {
    it(`prints help with an example for ${command}`, async () => {
      const help = await helpOf(command);
      assert.match(help, new RegExp(`^Usage: votary ${command}`));
      assert.match(help, /\n\nExamples:\n {2}\$ votary /);
      assert.match(help, /--json/);
    });
  }

  it('prints help on standard output on request', async () => {
    const outcome = await (await makeHome()).votary('votes', 'import', '--help');
    assertDone(outcome);
    assert.equal(outcome.stdout, await helpOf('votes import'));
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    const outcome = await (await makeHome()).votary('--version');
    assertDone(outcome);
    assert.equal(outcome.stdout, `${version}\n`);
  });

  it('prints help as a usage error if no command is given', async () => {
    const home = await makeHome();
    assertBadUsage(await home.votary(), /^Usage: votary .*Examples:/s);
    assertBadUsage(await home.votary('key'), /^Usage: votary key/);
  });

  it('rejects unknown commands and options, and suggests similar ones', async () => {
    const home = await makeHome();
    assertBadUsage(await home.votary('guilds'), /unknown command 'guilds'.*Did you mean guild\?/s);
    assertBadUsage(await home.votary('guild', 'lst'), /Did you mean list\?/);
    assertBadUsage(await home.votary('guild', 'list', '--jsn'), /unknown option '--jsn'/);
    assertBadUsage(await home.votary('guild', 'show', GUILD, 'more'), /too many arguments/);
    assertBadUsage(await home.votary('guild', 'show'), /missing required argument 'guild_id'/);
  });

  it('accepts --json before the command, inside it and after it', async () => {
    const home = await makeHome();
    const places = [
      ['--json', 'guild', 'list'],
      ['guild', '--json', 'list'],
      ['guild', 'list', '--json'],
    ];
    for (const args of places) assert.equal((await home.votary(...args)).stdout, '[]\n');
  });

  it('fails with one line that names an invalid variable', async () => {
    const home = await makeHome({ VOTARY_PORT: 'eighty' });
    assertFailed(await home.votary('guild', 'list'), /VOTARY_PORT must be a port/);
    assertFailed(await home.votary('serve'), /VOTARY_PORT must be a port/);
  });

  it('fails with one line if the database cannot be opened', async () => {
    const home = await makeHome();
    const file = await home.file(
      'not-a-database',
      'this is text, and long enough to be looked at as a database header',
    );
    const broken = await makeHome({ VOTARY_DATABASE_URL: `sqlite:${file}` });
    assertFailed(await broken.votary('guild', 'list', '--json'), /not-a-database/);
    assertFailed(await broken.votary('migrate'), /not-a-database/);
  });

  it('migrates a new database once', async () => {
    const home = await makeHome();
    const first = await home.json('migrate');
    assert.ok(first && typeof first === 'object' && 'version' in first && 'applied' in first);
    assert.ok(Array.isArray(first.applied) && first.applied.length > 0 && Number(first.version) > 0);
    assert.deepEqual(await home.json('migrate'), { version: first.version, applied: [] });
    assert.equal(
      (await home.votary('migrate')).stdout,
      `The database is at version ${first.version}: nothing to do.\n`,
    );
  });

  it('does not replace a secret file that is empty or a directory', async () => {
    const home = await makeHome();
    await home.votary('guild', 'add', GUILD);
    const secret = join(home.dataDir, 'secret');
    await writeFile(secret, '\n');
    assertFailed(
      await home.votary('key', 'generate', GUILD),
      /secret file .* is empty: restore it from a backup/,
    );
    await rm(secret);
    await mkdir(secret);
    assertFailed(await home.votary('key', 'generate', GUILD), /cannot read the secret file/);
  });
});
