import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { migrateDatabase } from '../store/open.ts';
import { addExamples, type Cli, report } from './cli.ts';

export function addMigrateCommand(program: Command, cli: Cli): void {
  const command = program
    .command('migrate')
    .description('migrate the database to the current schema (serve does it too)');
  addExamples(command, ['migrate', 'migrate --json']);
  command.action(async () => {
    const { version, applied } = await migrateDatabase(readConfig(cli.environment).database);
    const done = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`;
    report(cli, { version, applied }, `The database is at version ${version}: ${done}.`);
  });
}
