import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { readSecret, secretFile, writeSecret } from '../ops/master-secret.ts';
import { systemReason } from '../ops/system-error.ts';
import { backupDatabase } from '../store/open.ts';
import { addExamples } from './arguments.ts';
import { type Cli, CommandFailure, report } from './cli.ts';
import { countOf } from './count-of.ts';

/** The secret lies beside the backup, so that one can be kept apart from the other. */
export function secretFileOf(file: string): string {
  return `${file}.secret`;
}

export function addBackupCommand(program: Command, cli: Cli): void {
  const command = program
    .command('backup')
    .description('copy the SQLite database into a new file, while the server runs')
    .argument('<file>', 'file to write; the master secret goes into <file>.secret beside it')
    .option('--without-secret', 'leave the master secret out');
  addExamples(command, [
    'backup /backups/votary-2027-01-31.db',
    'backup votary.db.bak --without-secret --json',
  ]);
  command.action(async (file: string, { withoutSecret = false }: { withoutSecret?: boolean }) => {
    await backup(cli, resolve(file), withoutSecret);
  });
}

async function backup(cli: Cli, file: string, withoutSecret: boolean): Promise<void> {
  const config = readConfig(cli.environment);
  let secret: string | null = null;
  const beside = async () => {
    if (!withoutSecret) secret = await copySecret(config, secretFileOf(file));
  };
  const { schemaVersion, guilds, votes } = await backupDatabase(config.database, { file, beside }).catch(
    async (error: unknown) => {
      if (secret !== null) await rm(secret, { force: true });
      throw error;
    },
  );
  const document = { file, secret_file: secret, guilds, votes, schema_version: schemaVersion };
  report(
    cli,
    document,
    `${file} holds ${countOf(guilds, 'guild')} and ${countOf(votes, 'vote')}. ${secretNote(config, secret)}`,
  );
}

/** `null` when no secret is kept here: it is configured, or none was ever needed. */
async function copySecret({ secret, dataDir }: Config, copy: string): Promise<string | null> {
  const kept = secret === null ? await readSecret(secretFile(dataDir)) : undefined;
  if (kept === undefined) return null;
  await writeSecret(copy, [kept]).catch((error: unknown) => {
    throw new CommandFailure(`cannot write ${copy}: ${systemReason(error)}; no backup was made`);
  });
  return copy;
}

function secretNote(config: Config, secret: string | null): string {
  if (secret !== null) return `The master secret is in ${secret}: keep both where only you can read them.`;
  const place = config.secret === null ? secretFile(config.dataDir) : 'VOTARY_SECRET';
  return `The master secret (${place}) is not in it: without it keys work on, but cannot be shown again.`;
}
