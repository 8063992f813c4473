import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { formatInstant } from '../domain/clock.ts';
import { readSecret, replaceMasterSecret, secretFile } from '../ops/master-secret.ts';
import { restoreDatabase } from '../store/open.ts';
import { addExamples } from './arguments.ts';
import { secretFileOf } from './backup.ts';
import { type Cli, report } from './cli.ts';
import { countOf } from './count-of.ts';

export function addRestoreCommand(program: Command, cli: Cli): void {
  const command = program
    .command('restore')
    .description('put a backup in the place of the SQLite database; the server must be stopped')
    .argument('<file>', 'file that votary backup wrote; <file>.secret beside it is restored too');
  addExamples(command, ['restore /backups/votary-2027-01-31.db', 'restore votary.db.bak --json']);
  command.action(async (file: string) => {
    await restore(cli, resolve(file));
  });
}

async function restore(cli: Cli, file: string): Promise<void> {
  const config = readConfig(cli.environment);
  const aside = `${databasePath(config)}.before-${timeInNames(cli)}`;
  const secret = config.secret === null ? await readSecret(secretFileOf(file)) : undefined;
  const { before, after } = secretSteps(config, secret);
  const restored = await restoreDatabase(config.database, { file, aside, before, after });
  const { schemaVersion, guilds, votes, kept } = restored;
  const isSecretRestored = secret !== undefined;
  report(
    cli,
    { file, guilds, votes, schema_version: schemaVersion, kept, secret_restored: isSecretRestored },
    [
      `Restored ${countOf(guilds, 'guild')} and ${countOf(votes, 'vote')} from ${file}.`,
      ...(kept === null ? [] : [`The database from before is kept at ${kept}.`]),
      isSecretRestored
        ? 'The master secret came with it: everyone has to sign in again.'
        : `No ${secretFileOf(file)} was used: the master secret stays as it is.`,
    ].join(' '),
  );
}

/**
 * The secret changes with the database. In between its file holds both, so that whatever database a crash leaves
 * in place, its keys can be opened.
 */
function secretSteps({ dataDir }: Config, restored: string | undefined) {
  if (restored === undefined) return { before: async () => {}, after: async () => {} };
  const newLines = restored.split('\n');
  return {
    before: async () => {
      const present = (await readSecret(secretFile(dataDir)))?.split('\n') ?? [];
      await replaceMasterSecret(dataDir, [...new Set([...newLines, ...present])]);
    },
    after: () => replaceMasterSecret(dataDir, newLines),
  };
}

/** Only a SQLite database is a file; of any other the store says that it cannot be restored so. */
function databasePath({ database }: Config): string {
  return database.kind === 'sqlite' ? database.path : '';
}

function timeInNames(cli: Cli): string {
  return formatInstant(cli.clock()).replace(/[^0-9TZ]/g, '');
}
