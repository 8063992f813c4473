import type { Command } from 'commander';
import { formatInstant } from '../domain/clock.ts';
import type { AttemptRecord, DeliveryRecord } from '../store/webhook-store.ts';
import { addExamples, guildIdArgument } from './arguments.ts';
import { type Cli, CommandFailure, report } from './cli.ts';
import { formatTable } from './table.ts';
import { attemptText, describeAttempt } from './webhook-attempt.ts';
import { withEndpoints } from './webhook-context.ts';
import { formatNullable } from './webhook-list.ts';

const LOG_LENGTH = 50;

export function addLogCommand(group: Command, cli: Cli): void {
  const command = group
    .command('log')
    .description(`show the last ${LOG_LENGTH} deliveries, each with its last try, or every try of one event`)
    .addArgument(guildIdArgument())
    .option('--event <event_id>', 'every try of this event');
  addExamples(command, [
    'webhook log 123456789012345678',
    'webhook log 123456789012345678 --event evt_019a87e3c0000123456789abcdef0123',
    'webhook log 123456789012345678 --json',
  ]);
  command.action((guildId: string, { event }: { event?: string }) =>
    event === undefined ? showDeliveries(cli, guildId) : showTries(cli, guildId, event),
  );
}

async function showDeliveries(cli: Cli, guildId: string): Promise<void> {
  const log = await withEndpoints(cli, guildId, (endpoints) => endpoints.deliveryLog(guildId, LOG_LENGTH));
  const none = 'Nothing has been sent yet.';
  report(cli, log.map(describeDelivery), log.length === 0 ? none : formatTable(deliveryRows(log)));
}

async function showTries(cli: Cli, guildId: string, eventId: string): Promise<void> {
  const tries = await withEndpoints(cli, guildId, (endpoints) => endpoints.eventLog(guildId, eventId));
  if (tries.length === 0) {
    throw new CommandFailure(
      `no try of ${eventId} is in the log: there is no such event, or it was not sent yet; see: votary webhook log ${guildId}`,
    );
  }
  report(cli, tries.map(describeTry), formatTable(tryRows(tries)));
}

function describeDelivery(delivery: DeliveryRecord): Record<string, unknown> {
  return {
    event_id: delivery.eventId,
    type: delivery.type,
    test: delivery.isTest,
    endpoint_id: delivery.endpointId,
    occurred_at: formatInstant(delivery.occursAt),
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: formatNullable(delivery.nextAttemptAt),
    last_attempt: delivery.lastAttempt && describeAttempt(delivery.lastAttempt),
  };
}

function deliveryRows(log: readonly DeliveryRecord[]): string[][] {
  const rows = log.map((delivery) => [
    formatInstant(delivery.occursAt),
    typeText(delivery),
    delivery.eventId,
    delivery.endpointId,
    delivery.state,
    resultText(delivery),
  ]);
  return [['TIME', 'TYPE', 'EVENT', 'ENDPOINT', 'STATE', 'LAST TRY'], ...rows];
}

/** The sample of an event is not the event. */
function typeText({ type, isTest }: DeliveryRecord): string {
  return isTest && type !== 'webhook_test' ? `${type} (test)` : type;
}

function resultText({ attempts, lastAttempt, nextAttemptAt }: DeliveryRecord): string {
  const next = nextAttemptAt === null ? '' : `; next ${formatInstant(nextAttemptAt)}`;
  const none = attempts === 0 ? 'none yet' : 'no longer in the log';
  return (lastAttempt ? attemptText(lastAttempt) : none) + next;
}

function describeTry(attempt: AttemptRecord): Record<string, unknown> {
  return { endpoint_id: attempt.endpointId, ...describeAttempt(attempt) };
}

function tryRows(tries: readonly AttemptRecord[]): string[][] {
  const rows = tries.map((attempt) => [formatInstant(attempt.at), attempt.endpointId, attemptText(attempt)]);
  return [['TIME', 'ENDPOINT', 'RESULT'], ...rows];
}
