import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { vacuumDatabase } from '../store/open.ts';
import { addExamples, type Cli, CommandFailure, report } from './cli.ts';

export function addVacuumCommand(program: Command, cli: Cli): void {
  const command = program
    .command('vacuum')
    .description('free the space of deleted data (SQLite: while the service is stopped)');
  addExamples(command, ['vacuum', 'vacuum --json']);
  command.action(async () => {
    const { database } = readConfig(cli.environment);
    if (database.kind === 'sqlite' && !existsSync(database.path))
      throw new CommandFailure(`there is no database at ${database.path}`);
    const startedAt = cli.clock();
    const { bytesBefore, bytesAfter } = await vacuumDatabase(database);
    const document = {
      database: database.kind,
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
      duration_ms: cli.clock() - startedAt,
    };
    report(
      cli,
      document,
      `The database has ${sizeText(bytesAfter)}; before it had ${sizeText(bytesBefore)}.`,
    );
  });
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
