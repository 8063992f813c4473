import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import type { Instant } from '../domain/clock.ts';
import { systemCode, systemReason } from '../domain/system-error.ts';
import type { Period } from '../domain/votes/period.ts';
import { moderateImport } from '../moderation/moderator.ts';
import { BadLine } from '../read-lines.ts';
import { withClaimTimes } from '../store/claims/claims.ts';
import type { Store } from '../store/store.ts';
import type { ImportResult } from '../store/votes/votes.ts';
import { importTopggVotes } from '../topgg-export.ts';
import { importVotes, inChunks, voteDocument, voteLines } from '../transfer.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  countOf,
  dateOption,
  guildIdArgument,
  ignoreClosedPipe,
  moderatorOf,
  parseSnowflake,
  readPeriod,
  report,
  requireGuild,
  withStore,
} from './cli.ts';
import { type Progress, startProgress } from './progress.ts';
import { addRestoreBatchCommand, addVoidCommand } from './voiding.ts';

export function addVotesCommands(program: Command, cli: Cli): void {
  const group = program
    .command('votes')
    .description('import and export votes as NDJSON; void votes that should not count');
  addExamples(group, ['votes import votes.ndjson', 'votes export 123456789012345678 > votes.ndjson']);
  addImportCommand(group, cli);
  addExportCommand(group, cli);
  addVoidCommand(group, cli);
  addRestoreBatchCommand(group, cli);
}

type Dates = { from?: Instant; to?: Instant };

function addExportCommand(group: Command, cli: Cli): void {
  const command = group
    .command('export')
    .description('write the votes of a guild, oldest first, one per line (--json: one array)')
    .addArgument(guildIdArgument())
    .addOption(dateOption('--from <date>', 'only votes from this time on, ISO 8601'))
    .addOption(dateOption('--to <date>', 'only votes before this time, ISO 8601'));
  addExamples(command, [
    'votes export 123456789012345678 > votes.ndjson',
    'votes export 123456789012345678 --from 2026-01-01 --to 2026-02-01 | wc -l',
  ]);
  command.action(async (guildId: string, dates: Dates) => {
    await exportTo(cli, guildId, readPeriod(command, dates));
  });
}

async function exportTo(cli: Cli, guildId: string, period: Period): Promise<void> {
  await withStore(cli, async (store) => {
    await requireGuild(store, guildId);
    const votes = withClaimTimes(store.claims, store.votes.export(guildId, period));
    const text = inChunks(cli.wantsJson() ? voteDocument(votes) : voteLines(votes));
    await pipeline(Readable.from(text), cli.stdout, { end: false }).catch(ignoreClosedPipe);
  });
}

/** The input of an import; the size is unknown when it is piped. */
type Source = { name: string; stream: Readable; sizeBytes: number | null };

type ImportChoice = { claimed?: boolean; format?: 'votary' | 'topgg'; guild?: string };

function addImportCommand(group: Command, cli: Cli): void {
  const command = group
    .command('import')
    .description(
      'import past votes; existing ones are skipped, and one invalid line cancels the whole import',
    )
    .argument('<file>', 'NDJSON file, or - for standard input')
    .option('--claimed', 'mark all votes as claimed, for votes that were rewarded elsewhere')
    .addOption(
      new Option('--format <format>', "topgg: the votes of top.gg's API, v1").choices(['votary', 'topgg']),
    )
    .addOption(
      new Option(
        '--guild <guild_id>',
        'the guild of the votes, with --format topgg (default: the only guild)',
      ).argParser(parseSnowflake),
    );
  addExamples(command, [
    'votes import votes.ndjson',
    'votes import - < votes.ndjson',
    'votes import old-site.ndjson --claimed',
    'votes import pages.json --format topgg --guild 123456789012345678 --claimed',
  ]);
  command.addHelpText('after', LINE_FORMAT);
  command.action(async (file: string, options: ImportChoice) => {
    if (options.guild !== undefined && options.format !== 'topgg')
      command.error('error: --guild is for --format topgg; other lines name their guild');
    const { imported, skipped } = await importFrom(await openSource(cli, file), options, cli);
    report(cli, { imported, skipped }, `${countOf(imported, 'vote')} imported, ${skipped} already existed.`);
  });
}

const LINE_FORMAT = `
One vote a line; external_id, is_doubled and claimed_at may be left out:
  {"guild_id":"123456789012345678","user_id":"234567890123456789","timestamp":"2026-01-31T18:00:00.000Z","external_id":"Steve_42","is_doubled":false,"claimed_at":"2026-01-31T18:05:00.000Z"}
A vote with claimed_at was rewarded and cannot be claimed again, even if it existed before without a claim.
With --format topgg: pages of GET https://top.gg/api/v1/projects/@me/votes, or their votes, in a list or one after the other.`;

async function openSource(cli: Cli, file: string): Promise<Source> {
  if (file === '-') return { name: 'standard input', stream: cli.stdin, sizeBytes: null };
  const stats = await stat(file).catch((error: unknown) => {
    throw cannotRead(file, error);
  });
  if (stats.isDirectory()) throw new CommandFailure(`cannot read ${file}: it is a directory`);
  return { name: file, stream: createReadStream(file), sizeBytes: stats.isFile() ? stats.size : null };
}

async function importFrom(source: Source, choice: ImportChoice, cli: Cli): Promise<ImportResult> {
  let progress: Progress | undefined;
  try {
    return await withStore(cli, async (store) => {
      progress = startProgress(cli, source.sizeBytes);
      const bytes = counted(source.stream, progress);
      const options = { now: cli.clock(), isClaimed: choice.claimed ?? false, onRead: progress.votes };
      const guildId = choice.format === 'topgg' ? await guildOfExport(store, choice.guild) : null;
      return moderateImport(moderatorOf(cli, store), () =>
        guildId === null
          ? importVotes(store, bytes, options)
          : importTopggVotes(store, guildId, bytes, options),
      );
    });
  } catch (error) {
    throw explain(source, error);
  } finally {
    progress?.stop();
  }
}

/** An export of top.gg does not say which guild it is of. */
async function guildOfExport(store: Store, given: string | undefined): Promise<string> {
  if (given !== undefined) return (await requireGuild(store, given)).guildId;
  const [only, ...others] = await store.guilds.list();
  if (only && others.length === 0) return only.guildId;
  throw new CommandFailure('say which guild the votes are for: --guild <guild_id>; nothing was imported');
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
