import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { BadLine } from '../ops/read-lines.ts';
import { systemCode, systemReason } from '../ops/system-error.ts';
import { importVotes } from '../ops/vote-file.ts';
import type { ImportResult } from '../store/store.ts';
import { addExamples } from './arguments.ts';
import { type Cli, CommandFailure, report, withStore } from './cli.ts';
import { type Progress, startProgress } from './progress.ts';

/** Where votes are read from; the size is unknown when they are piped in. */
type Source = { name: string; stream: Readable; sizeBytes: number | null };

export function addImportCommand(group: Command, cli: Cli): void {
  const command = group
    .command('import')
    .description('read votes of the past; those known already are skipped, and one bad line stops it all')
    .argument('<file>', 'NDJSON file, or - for standard input');
  addExamples(command, ['votes import votes.ndjson', 'votes import - < votes.ndjson']);
  command.addHelpText('after', LINE_FORMAT);
  command.action(async (file: string) => {
    const { imported, skipped } = await importFrom(await openSource(cli, file), cli);
    report(cli, { imported, skipped }, `${imported} votes imported, ${skipped} known already.`);
  });
}

const LINE_FORMAT = `
One vote a line; external_id and is_doubled may be left out:
  {"guild_id":"123456789012345678","user_id":"234567890123456789","timestamp":"2026-01-31T18:00:00.000Z","external_id":"Steve_42","is_doubled":false}`;

async function openSource(cli: Cli, file: string): Promise<Source> {
  if (file === '-') return { name: 'standard input', stream: cli.stdin, sizeBytes: null };
  const stats = await stat(file).catch((error: unknown) => {
    throw cannotRead(file, error);
  });
  if (stats.isDirectory()) throw new CommandFailure(`cannot read ${file}: it is a directory`);
  return { name: file, stream: createReadStream(file), sizeBytes: stats.isFile() ? stats.size : null };
}

async function importFrom(source: Source, cli: Cli): Promise<ImportResult> {
  let progress: Progress | undefined;
  try {
    return await withStore(cli, (store) => {
      progress = startProgress(cli, source.sizeBytes);
      return importVotes(store, counted(source.stream, progress), cli.clock(), progress.votes);
    });
  } catch (error) {
    throw explain(source, error);
  } finally {
    progress?.stop();
  }
}

async function* counted(stream: Readable, progress: Progress): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    progress.bytes(chunk.length);
    yield chunk;
  }
}

function explain(source: Source, error: unknown): unknown {
  if (error instanceof BadLine) return new CommandFailure(`${error.message}; nothing was imported`);
  const isReadError = error instanceof Error && 'syscall' in error && systemCode(error) !== undefined;
  return isReadError ? cannotRead(source.name, error) : error;
}

function cannotRead(name: string, error: unknown): CommandFailure {
  return new CommandFailure(`cannot read ${name}: ${systemReason(error)}; nothing was imported`);
}
