import type { Command } from 'commander';
import { addExamples } from './arguments.ts';
import type { Cli } from './cli.ts';
import { addExportCommand } from './votes-export.ts';
import { addImportCommand } from './votes-import.ts';

export function addVotesCommands(program: Command, cli: Cli): void {
  const group = program.command('votes').description('votes in and out, as NDJSON');
  addExamples(group, ['votes import votes.ndjson', 'votes export 123456789012345678 > votes.ndjson']);
  addImportCommand(group, cli);
  addExportCommand(group, cli);
}
