/** The jar as sites offer it, with the settings of the guide and with those it brings along. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildJar } from '../../../scripts/minecraft-plugin.ts';
import { useJar } from '../../guides/minecraft/paper/game.ts';
import { filesOf, ROOT, run } from '../../guides/programs.ts';
import { requirement } from '../../support/requirement.ts';
import { preparePlugin } from './server.ts';

describe('votary-minecraft.jar', { skip: requirement('java') }, async () => {
  const body = buildJar(ROOT);
  const plugin = await useJar(async (folder) => {
    await writeFile(join(folder, 'votary-minecraft.jar'), body);
    return join(folder, 'votary-minecraft.jar');
  });
  const { service, open } = await preparePlugin(plugin);

  it('contains the plugin and its settings, and nothing of Bukkit', async () => {
    const listed = await run('jar', ['--list', '--file', 'votary-minecraft.jar'], {
      folder: plugin.folder,
      env: {},
    });
    assert.equal(listed.code, 0, listed.stderr);
    const names = listed.stdout.trim().split('\n');
    const expected = ['META-INF/MANIFEST.MF', 'config.yml', 'plugin.yml', 'LICENSE'];
    assert.deepEqual(names.slice(0, expected.length), expected);
    assert.ok(names.includes('io/github/votary/minecraft/VotaryPlugin.class'));
    assert.deepEqual(
      names.filter((name) => !expected.includes(name) && !name.startsWith('io/github/votary/minecraft/')),
      [],
    );
  });

  it('is the same file when it is built again', () => {
    assert.ok(buildJar(ROOT).equals(body));
  });

  it('rewards votes with the settings of the guide', async (t) => {
    const { play, vote, serve, key, commands } = await open(t, {});
    const guide = (await filesOf('minecraft-paper')).find(({ name }) => name === 'config.yml')?.text ?? '';
    const config = guide.replace('https://votes.example.org', service.url).replace('YOUR_API_KEY', key);
    await writeFile(join(serve.folder, 'plugin/config.yml'), config);
    const game = await play();
    await vote('Steve_42');
    await game.until('say Steve_42 has voted, 1 days in a row!');
    game.say('join Steve_42');
    await game.until('Steve_42 has 1 diamonds');
    await game.stop();
    assert.deepEqual(await commands(), [
      'say Steve_42 has voted, 1 days in a row!',
      'give Steve_42 diamond 1',
    ]);
  });

  it('says which setting to enter first, and starts with the others of its own config.yml', async (t) => {
    const { play, vote, serve, key } = await open(t, {});
    const unzip = ['--extract', '--file', join(plugin.folder, 'votary-minecraft.jar'), 'config.yml'];
    const place = { folder: join(serve.folder, 'plugin'), env: {} };
    assert.equal((await run('jar', unzip, place)).code, 0);
    const fresh = serve();
    await fresh.until('SEVERE: config.yml, api-key: enter the key of your community');
    await fresh.stop();
    const settings = await run('cat', ['config.yml'], place);
    const config = settings.stdout
      .replace('https://votes.example.org', service.url)
      .replace('YOUR_API_KEY', key);
    await writeFile(join(place.folder, 'config.yml'), config);
    const game = await play();
    await vote('Steve_42');
    await game.until('say Steve_42 has voted, 1 days in a row! /vote');
    await game.stop();
  });
});
