/** The webhook receivers of the guide, unpacked and run as a reader would run them. */
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { addSdk, filesOf, type Place, ROOT, start, unpackGuide, write } from './programs.ts';
import { watch } from './services.ts';

/** The receivers, with the files of the other guides that they use. */
export async function unpackReceivers(t: TestContext, env: Record<string, string>): Promise<Place> {
  const place = await unpackGuide(t, 'webhooks', { ...env, PORT: '0' });
  const { folder } = place;
  for (const guide of ['discord-bot-node', 'python', 'php-cms']) {
    for (const { name, text } of await filesOf(guide)) {
      if (name.startsWith('rewards.')) await write(folder, name, text);
    }
  }
  await write(folder, 'package.json', '{ "type": "commonjs" }');
  await addSdk(folder);
  await symlink(join(ROOT, 'node_modules/fastify'), join(folder, 'node_modules/fastify'), 'junction');
  await copyFile(join(ROOT, 'clients/python/votary.py'), join(folder, 'votary.py'));
  await copyFile(join(ROOT, 'clients/php/Votary.php'), join(folder, 'Votary.php'));
  await mkdir(join(folder, 'accounts'));
  return { folder, env: { ...place.env, ACCOUNTS_DIR: join(folder, 'accounts') } };
}

/** Runs a receiver of the guide during `use`; returns everything that it printed. */
export async function receive(
  t: TestContext,
  command: string[],
  place: Place,
  use: (address: string) => Promise<void>,
): Promise<string> {
  const [program = '', ...args] = command;
  const receiver = watch(t, start(program, args, place));
  const ready = /(?:Listening on |127\.0\.0\.1:)(\d+)\D/;
  await receiver.until(ready);
  const port = ready.exec(receiver.printed())?.[1];
  await use(`http://127.0.0.1:${port}`);
  await receiver.kill();
  return receiver.printed();
}
