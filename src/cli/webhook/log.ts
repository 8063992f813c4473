import type { Command } from 'commander';
import { formatInstant, formatInstantOrNull } from '../../domain/clock.ts';
import { failureText } from '../../domain/webhooks/failure.ts';
import type { AttemptRecord, AttemptResult, DeliveryRecord } from '../../store/webhooks/store.ts';
import { addExamples, type Cli, CommandFailure, formatTable, guildIdArgument, report } from '../cli.ts';
import { withEndpoints } from './endpoints.ts';

const SHOWN_ANSWER = 80;

/** An attempt as JSON. */
export function describeAttempt(attempt: AttemptResult): Record<string, unknown> {
  const { at, status, durationMs, answer, error } = attempt;
  const message = error && failureText(error, 'en').text;
  return {
    at: formatInstant(at),
    status,
    duration_ms: durationMs,
    answer,
    error: message,
    error_code: error,
  };
}

/** An attempt as one line of text. */
export function attemptText({ status, durationMs, answer, error }: AttemptResult): string {
  const failed = answer === '' ? 'no response' : 'failed';
  const withoutStatus = error === null ? 'accepted' : failed;
  const answered = status === null ? withoutStatus : `status ${status}`;
  const details = [error && failureText(error, 'en').text, answer && `response ${quote(answer)}`]
    .filter(Boolean)
    .map((text) => `; ${text}`);
  return `${answered} after ${durationMs} ms${details.join('')}`;
}

/** Untrusted text: must not contain terminal control characters. */
function quote(answer: string): string {
  const start = Array.from(answer).slice(0, SHOWN_ANSWER).join('');
  return JSON.stringify(start).replace(/\p{C}/gu, '\ufffd') + (start === answer ? '' : '…');
}

const LOG_LENGTH = 50;

export function addLogCommand(group: Command, cli: Cli): void {
  const command = group
    .command('log')
    .description(
      `show the last ${LOG_LENGTH} deliveries, each with its last attempt, or every attempt for one event`,
    )
    .addArgument(guildIdArgument())
    .option('--event <event_id>', 'show every attempt for this event');
  addExamples(command, [
    'webhook log 123456789012345678',
    'webhook log 123456789012345678 --event evt_019a87e3c0000123456789abcdef0123',
    'webhook log 123456789012345678 --json',
  ]);
  command.action((guildId: string, { event }: { event?: string }) =>
    event === undefined ? showDeliveries(cli, guildId) : showAttempts(cli, guildId, event),
  );
}

async function showDeliveries(cli: Cli, guildId: string): Promise<void> {
  const log = await withEndpoints(cli, guildId, (endpoints) => endpoints.deliveryLog(guildId, LOG_LENGTH));
  const none = 'Nothing has been sent yet.';
  report(cli, log.map(describeDelivery), log.length === 0 ? none : formatTable(deliveryRows(log)));
}

async function showAttempts(cli: Cli, guildId: string, eventId: string): Promise<void> {
  const tries = await withEndpoints(cli, guildId, (endpoints) => endpoints.eventLog(guildId, eventId));
  if (tries.length === 0) {
    throw new CommandFailure(
      `there is no attempt for ${eventId} in the log: the event does not exist, or was not sent yet; see: votary webhook log ${guildId}`,
    );
  }
  report(cli, tries.map(describeAttemptRecord), formatTable(attemptRows(tries)));
}

function describeDelivery(delivery: DeliveryRecord): Record<string, unknown> {
  return {
    event_id: delivery.eventId,
    type: delivery.type,
    test: delivery.isTest,
    endpoint_id: delivery.endpointId,
    kind: delivery.kind,
    occurred_at: formatInstant(delivery.occursAt),
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: formatInstantOrNull(delivery.nextAttemptAt),
    last_attempt: delivery.lastAttempt && describeAttempt(delivery.lastAttempt),
  };
}

function deliveryRows(log: readonly DeliveryRecord[]): string[][] {
  const rows = log.map((delivery) => [
    formatInstant(delivery.occursAt),
    typeText(delivery),
    delivery.eventId,
    delivery.endpointId,
    delivery.kind ?? 'removed',
    delivery.state,
    resultText(delivery),
  ]);
  return [['TIME', 'TYPE', 'EVENT', 'ENDPOINT', 'KIND', 'STATE', 'LAST ATTEMPT'], ...rows];
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

function describeAttemptRecord(attempt: AttemptRecord): Record<string, unknown> {
  return { endpoint_id: attempt.endpointId, ...describeAttempt(attempt) };
}

function attemptRows(tries: readonly AttemptRecord[]): string[][] {
  const rows = tries.map((attempt) => [formatInstant(attempt.at), attempt.endpointId, attemptText(attempt)]);
  return [['TIME', 'ENDPOINT', 'RESULT'], ...rows];
}
