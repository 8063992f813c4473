/**
 * The plugin of the Minecraft guide with the classes of the Java guide, compiled against stubs of the Bukkit API, and a
 * game server that runs it.
 *
 *   const serve = await openGame(t, await buildPlugin(), env);
 *   const game = serve();
 *   game.say('join Steve_42');
 */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { assertDone } from '../../../cli/votary.ts';
import { temporaryFolder } from '../../../http/support.ts';
import { compileJava, filesOf, QUICK_JAVA, start, write } from '../../programs.ts';
import { javaTrust, watch } from '../../services.ts';

/** The pauses of the guides between requests, a tenth as long. */
export const SHORT_PAUSES: [from: string, to: string][] = [
  ['Thread.sleep(2000)', 'Thread.sleep(200)'],
  ['Thread.sleep(4000)', 'Thread.sleep(400)'],
];

/** `changes`: parts of the code of the guides and what replaces them, such as shorter times. */
export async function buildPlugin(changes: readonly [from: string, to: string][] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-paper-'));
  after(() => rm(folder, { recursive: true }));
  const guides = [...(await filesOf('minecraft-paper')), ...(await filesOf('java-game-server'))];
  const sources = guides.filter(({ name }) => name !== 'TryIt.java');
  for (const [from] of changes)
    assert.ok(
      sources.some(({ text }) => text.includes(from)),
      from,
    );
  for (const { name, text } of sources) await write(folder, name, replaceAll(text, changes));
  const stubs = await readFile(join(import.meta.dirname, 'bukkit.txt'), 'utf8');
  for (const [, path = '', text = ''] of stubs.matchAll(
    /^\/\/ (\S+\.java)\n([\s\S]*?)(?=^\/\/ \S+\.java$|$(?![\s\S]))/gm,
  )) {
    await write(folder, path, text);
  }
  await copyFile(join(import.meta.dirname, 'Harness.java'), join(folder, 'Harness.java'));
  assertDone(await compileJava({ folder, env: {} }, '*.java'));
  return folder;
}

export function replaceAll(text: string, changes: readonly [from: string, to: string][]): string {
  return changes.reduce((source, [from, to]) => source.replaceAll(from, to), text);
}

/** A world on disk; each call of the returned function starts the game server. */
export async function openGame(t: TestContext, classes: string, env: Record<string, string>) {
  const trust = await javaTrust(classes, env.SSL_CERT_FILE ?? '');
  const folder = await temporaryFolder(t);
  return (crash = '') => {
    const args = [...QUICK_JAVA, ...trust, '-cp', classes, 'Harness'];
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
}
