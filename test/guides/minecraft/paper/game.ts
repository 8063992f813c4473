/**
 * Game servers that run a plugin against stubs of the Bukkit API: the one of the Minecraft guide with the classes of the
 * Java guide, and the one of clients/minecraft.
 *
 *   const serve = await openGame(t, await buildPlugin(), env);
 *   const game = serve();
 *   game.say('join Steve_42');
 */
import assert from 'node:assert/strict';
import { copyFile, glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { writeStubs } from '../../../../scripts/minecraft-plugin.ts';
import { assertDone } from '../../../cli/votary.ts';
import { temporaryFolder } from '../../../http/support.ts';
import { compileJava, filesOf, QUICK_JAVA, ROOT, start, write } from '../../programs.ts';
import { javaTrust, watch } from '../../services.ts';

/** The pauses of the guides between requests, a tenth as long. */
export const SHORT_PAUSES: [from: string, to: string][] = [
  ['Thread.sleep(2000)', 'Thread.sleep(200)'],
  ['Thread.sleep(4000)', 'Thread.sleep(400)'],
];

type Source = { name: string; text: string };
type Changes = readonly [from: string, to: string][];

/** What can be run: the folder with the harness, the classes or the jar of the plugin, and its class. */
export type Plugin = { folder: string; classPath: string; main: string };

/** The plugin of the guide. `changes`: parts of the code and what replaces them, such as shorter times. */
export async function buildPlugin(changes: Changes = []): Promise<Plugin> {
  const guides = [...(await filesOf('minecraft-paper')), ...(await filesOf('java-game-server'))];
  const sources = guides.filter(({ name }) => name !== 'TryIt.java');
  const folder = await compile(sources, changes);
  return { folder, classPath: folder, main: 'VoteRewards' };
}

/** The plugin of clients/minecraft, from its sources. */
export async function buildReadyPlugin(changes: Changes = []): Promise<Plugin> {
  const cwd = join(ROOT, 'clients/minecraft/src');
  const sources: Source[] = [];
  for await (const name of glob('**/*.java', { cwd })) {
    sources.push({ name, text: await readFile(join(cwd, name), 'utf8') });
  }
  const folder = await compile(sources, changes);
  return { folder, classPath: folder, main: READY_MAIN };
}

/** A jar of it, which `place` writes into the folder. */
export async function useJar(place: (folder: string) => Promise<string>): Promise<Plugin> {
  const folder = await compile([]);
  return { folder, classPath: [await place(folder), folder].join(delimiter), main: READY_MAIN };
}

const READY_MAIN = 'io.github.votary.minecraft.VotaryPlugin';

/** The sources with the harness, in a folder of classes. */
async function compile(sources: Source[], changes: Changes = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-paper-'));
  after(() => rm(folder, { recursive: true }));
  for (const [from] of changes)
    assert.ok(
      sources.some(({ text }) => text.includes(from)),
      from,
    );
  for (const { name, text } of sources) await write(folder, name, replaceAll(text, changes));
  writeStubs(ROOT, folder);
  for (const name of ['Harness.java', 'YamlFile.java'])
    await copyFile(join(import.meta.dirname, name), join(folder, name));
  const files = sources.filter(({ name }) => name.endsWith('.java')).map(({ name }) => name);
  assertDone(await compileJava({ folder, env: {} }, ['Harness.java', ...files].join(' ')));
  return folder;
}

export function replaceAll(text: string, changes: Changes): string {
  return changes.reduce((source, [from, to]) => source.replaceAll(from, to), text);
}

/** A world on disk; each call of the returned function starts the game server. `files` are in its folder. */
export async function openGame(
  t: TestContext,
  plugin: Plugin,
  env: Record<string, string>,
  files: Record<string, string> = {},
) {
  const folder = await temporaryFolder(t);
  const trust = await javaTrust(plugin.folder, env.SSL_CERT_FILE ?? '');
  for (const [name, text] of Object.entries(files)) await write(folder, name, text);
  const serve = (crash = '') => {
    const args = [...QUICK_JAVA, ...trust, '-cp', plugin.classPath, 'Harness', plugin.main];
    const child = start('java', args, { folder, env: { ...env, CRASH: crash } });
    const game = watch(t, child);
    return {
      ...game,
      say: (line: string) => child.stdin?.write(`${line}\n`),
      stop: async () => {
        child.stdin?.write('stop\n');
        assert.equal(await game.closed(), 0, game.printed());
      },
    };
  };
  return Object.assign(serve, { folder });
}
