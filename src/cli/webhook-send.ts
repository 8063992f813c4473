import type { Command } from 'commander';
import type { Instant } from '../domain/clock.ts';
import type { TestResult } from '../store/webhook-admin.ts';
import { addExamples, dateOption, guildIdArgument } from './arguments.ts';
import { type Cli, CommandFailure, report } from './cli.ts';
import { endpointIdArgument, unknownEndpoint, withEndpoints } from './webhook-context.ts';
import { describeAttempt } from './webhook-list.ts';

export function addTestCommand(group: Command, cli: Cli): void {
  const command = group
    .command('test')
    .description('send a test event now and show what came back; exit 1 when it was not taken')
    .addArgument(guildIdArgument())
    .addArgument(endpointIdArgument());
  addExamples(command, ['webhook test 123456789012345678 ep_0123456789abcdef']);
  command.action(async (guildId: string, endpointId: string) => {
    const result = await withEndpoints(cli, guildId, (endpoints) => endpoints.sendTest(guildId, endpointId));
    if (!result) throw unknownEndpoint(guildId, endpointId);
    const { isDelivered, eventId } = result;
    const document = {
      guild_id: guildId,
      endpoint_id: endpointId,
      event_id: eventId,
      delivered: isDelivered,
    };
    // A script reads the result of a failed test too.
    if (isDelivered || cli.wantsJson()) {
      report(cli, { ...document, ...describeAttempt(result) }, `Delivered: ${resultText(result)}`);
    }
    if (!isDelivered) throw new CommandFailure(`the test was not delivered: ${resultText(result)}`);
  });
}

function resultText({ status, durationMs, answer, error }: TestResult): string {
  const answered = status === null ? 'no answer' : `status ${status}`;
  const details = [error, answer && `answered ${JSON.stringify(answer)}`]
    .filter(Boolean)
    .map((text) => `; ${text}`);
  return `${answered} after ${durationMs} ms${details.join('')}`;
}

type ReplayOptions = { event?: string; since?: Instant; endpoint?: string };

export function addReplayCommand(group: Command, cli: Cli): void {
  const command = group
    .command('replay')
    .description('send events of the last 30 days again, under their own ids')
    .addArgument(guildIdArgument())
    .option('--event <event_id>', 'this one')
    .addOption(dateOption('--since <date>', 'all that occurred since, ISO 8601'))
    .option('--endpoint <endpoint_id>', 'to this endpoint only (default: to all that are on)');
  addExamples(command, [
    'webhook replay 123456789012345678 --event evt_019a87e3c0000123456789abcdef0123',
    'webhook replay 123456789012345678 --since 2027-01-31T18:00:00Z',
  ]);
  command.action(async (guildId: string, { event, since, endpoint }: ReplayOptions) => {
    if ((event === undefined) === (since === undefined)) {
      command.error('error: give either --event or --since');
    }
    const which = event === undefined ? { since: since ?? cli.clock() } : { eventId: event };
    const replayed = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.replay(guildId, which, endpoint),
    );
    report(cli, { replayed }, replayText(replayed));
  });
}

function replayText(replayed: number): string {
  if (replayed > 0) return `${replayed} deliveries are queued; a running server sends them now.`;
  return 'Nothing to send again: no such event, or no endpoint that is on asked for it, or it is under way.';
}
