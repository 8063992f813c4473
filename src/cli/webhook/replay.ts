import type { Command } from 'commander';
import { formatInstant, type Instant } from '../../domain/clock.ts';
import type { Replayed } from '../../store/webhooks/store.ts';
import { addExamples, type Cli, CommandFailure, dateOption, guildIdArgument, report } from '../cli.ts';
import { unknownEndpoint, withEndpoints } from './endpoints.ts';

type ReplayOptions = { event?: string; since?: Instant; endpoint?: string };

export function addReplayCommand(group: Command, cli: Cli): void {
  const command = group
    .command('replay')
    .description(
      'resend events of the last 30 days, with their original ids; Discord channels and Minecraft servers get events they already received only with --event and --endpoint',
    )
    .addArgument(guildIdArgument())
    .option('--event <event_id>', 'resend this event')
    .addOption(dateOption('--since <date>', 'resend all events since, ISO 8601'))
    .option('--endpoint <endpoint_id>', 'to this endpoint only (default: all active endpoints)');
  addExamples(command, [
    'webhook replay 123456789012345678 --event evt_019a87e3c0000123456789abcdef0123',
    'webhook replay 123456789012345678 --since 2027-01-31T18:00:00Z',
  ]);
  command.action(async (guildId: string, { event, since, endpoint }: ReplayOptions) => {
    if ((event === undefined) === (since === undefined)) {
      command.error('error: give either --event or --since');
    }
    const which = event === undefined ? { since: since ?? cli.clock() } : { eventId: event };
    const replayed = await withEndpoints(cli, guildId, async (endpoints) => {
      const known = await endpoints.listEndpoints(guildId);
      if (endpoint !== undefined && !known.some(({ endpointId }) => endpointId === endpoint)) {
        throw unknownEndpoint(guildId, endpoint);
      }
      return endpoints.replay(guildId, which, endpoint);
    });
    const { queued, nextSince } = replayed;
    if (queued === 0 && event !== undefined) throw nothingToReplay(event);
    const rest = nextSince === null ? {} : { next_since: formatInstant(nextSince) };
    report(cli, { replayed: queued, ...rest }, replayText(replayed));
  });
}

function replayText({ queued, nextSince }: Replayed): string {
  const sent = `${queued} deliveries queued; a running server sends them now.`;
  if (nextSince !== null) {
    return `${sent}\nThe limit of one replay was reached. Send the rest with: --since ${formatInstant(nextSince)}`;
  }
  if (queued > 0) return sent;
  return 'Nothing to resend: there are no events since then that an active endpoint subscribes to, or they are already being sent.';
}

/** If one event was named and nothing was sent, that is an error. */
function nothingToReplay(eventId: string): CommandFailure {
  return new CommandFailure(
    `${eventId} was not resent: it does not exist, no active endpoint subscribes to it, or it is already being sent`,
  );
}
