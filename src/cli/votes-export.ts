import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { Instant } from '../domain/clock.ts';
import type { Period } from '../domain/period.ts';
import { systemCode } from '../ops/system-error.ts';
import { inLargePieces, voteDocument, voteLines } from '../ops/vote-file.ts';
import { addExamples, dateOption, guildIdArgument } from './arguments.ts';
import { type Cli, notListed, withStore } from './cli.ts';

/** All instants that an import accepts: the years 0000 to 9999. */
const ALL_TIME: Period = {
  from: Date.parse('0000-01-01T00:00:00.000Z'),
  to: Date.parse('9999-12-31T23:59:59.999Z') + 1,
};

type Dates = { from?: Instant; to?: Instant };

export function addExportCommand(group: Command, cli: Cli): void {
  const command = group
    .command('export')
    .description('write the votes of a guild, oldest first, one a line (--json: one array)')
    .addArgument(guildIdArgument())
    .addOption(dateOption('--from <date>', 'only votes from this moment on, ISO 8601'))
    .addOption(dateOption('--to <date>', 'only votes before this moment, ISO 8601'));
  addExamples(command, [
    'votes export 123456789012345678 > votes.ndjson',
    'votes export 123456789012345678 --from 2026-01-01 --to 2026-02-01 | wc -l',
  ]);
  command.action(async (guildId: string, dates: Dates) => {
    const period = { ...ALL_TIME, ...dates };
    if (period.from >= period.to) command.error("error: '--from' must be earlier than '--to'");
    await exportTo(cli, guildId, period);
  });
}

async function exportTo(cli: Cli, guildId: string, period: Period): Promise<void> {
  await withStore(cli, async (store) => {
    if (!(await store.guilds.find(guildId))) throw notListed(guildId);
    const votes = store.votes.export(guildId, period);
    const text = inLargePieces(cli.wantsJson() ? voteDocument(votes) : voteLines(votes));
    await pipeline(Readable.from(text), cli.stdout, { end: false }).catch(unlessReaderLeft);
  });
}

/** `| head` closes the pipe when it has seen enough: that is a success. */
function unlessReaderLeft(error: unknown): void {
  if (systemCode(error) !== 'EPIPE') throw error;
}
