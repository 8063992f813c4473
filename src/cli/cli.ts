import type { Readable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { type Config, type Environment, readConfig } from '../config.ts';
import type { Clock } from '../domain/clock.ts';
import type { ReachRule } from '../domain/webhook-url.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';

type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>;

/** Everything a command reads from and writes to, so that a test can run one without a process of its own. */
export type CliContext = Readonly<{
  environment: Environment;
  clock: Clock;
  stdin: Readable;
  stdout: Output;
  stderr: Output;
  /** Where webhooks may go. Default: the public internet only, since this machine is for `serve --demo`. */
  reach?: ReachRule;
}>;

/** `wantsJson`: whether `--json` was given; known once the arguments are parsed. */
export type Cli = CliContext & Readonly<{ wantsJson: () => boolean }>;

/** The command was understood and could not be done. Printed as one line; exit 1. */
export class CommandFailure extends Error {}

export function notListed(guildId: string): CommandFailure {
  return new CommandFailure(`guild ${guildId} is not listed; add it with: votary guild add ${guildId}`);
}

/** Opens the store for one piece of work and closes it whatever happens. */
export async function withStore<T>(cli: Cli, work: (store: Store, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(cli.environment);
  const store = await openStore(config.database);
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

/** The outcome of a command: one JSON document for programs, or a short text for people. */
export function report(cli: Cli, document: unknown, text: string): void {
  cli.stdout.write(`${cli.wantsJson() ? JSON.stringify(document) : text}\n`);
}
