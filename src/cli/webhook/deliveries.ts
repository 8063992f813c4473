import { type Command, Option } from 'commander';
import { formatInstant, type Instant } from '../../domain/clock.ts';
import { TEST_TYPES, type WebhookEventType } from '../../domain/webhooks/event.ts';
import { failureText } from '../../domain/webhooks/failure.ts';
import type { Endpoints, SentTest, TestRefusal } from '../../store/webhooks/admin.ts';
import type { AttemptRecord, AttemptResult, DeliveryRecord, Replayed } from '../../store/webhooks/store.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  dateOption,
  formatTable,
  guildIdArgument,
  report,
} from '../cli.ts';
import {
  endpointIdArgument,
  explainAddress,
  formatNullable,
  unknownEndpoint,
  withEndpoints,
} from './endpoints.ts';

const SHOWN_ANSWER = 80;

/** An attempt as JSON. */
function describeAttempt(attempt: AttemptResult): Record<string, unknown> {
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

export function addTestCommand(group: Command, cli: Cli): void {
  const command = group
    .command('test')
    .description('send a test event now and show the response; exit 1 if it was not delivered')
    .addArgument(guildIdArgument())
    .addArgument(endpointIdArgument())
    .addOption(
      new Option('--type <type>', 'send a sample of this event, with "test": true in its data').choices(
        TEST_TYPES,
      ),
    );
  addExamples(command, [
    'webhook test 123456789012345678 ep_0123456789abcdef',
    'webhook test 123456789012345678 ep_0123456789abcdef --type vote_received',
  ]);
  command.action(async (guildId: string, endpointId: string, { type }: { type?: WebhookEventType }) => {
    const { test, advice } = await withEndpoints(cli, guildId, async (endpoints) => {
      const sent = await endpoints.sendTest(guildId, endpointId, type);
      return { test: sent, advice: await adviceFor(sent, endpoints, guildId, endpointId) };
    });
    if (!test.sent) throw explainRefusal(test.reason, guildId, endpointId);
    const { result } = test;
    const { isDelivered, eventId } = result;
    const document = {
      guild_id: guildId,
      endpoint_id: endpointId,
      event_id: eventId,
      delivered: isDelivered,
    };
    // Scripts read the result of a failed test too.
    if (isDelivered || cli.wantsJson()) {
      report(cli, { ...document, ...describeAttempt(result) }, `Delivered: ${attemptText(result)}`);
    }
    if (!isDelivered)
      throw new CommandFailure(`the test was not delivered: ${advice ?? attemptText(result)}`);
  });
}

/** For an address that is not allowed, more than the log says, which admins can read. */
async function adviceFor(
  test: SentTest,
  endpoints: Endpoints,
  guildId: string,
  endpointId: string,
): Promise<string | undefined> {
  if (!test.sent || test.result.error !== 'PRIVATE_ADDRESS') return undefined;
  const known = await endpoints.listEndpoints(guildId);
  return explainAddress(endpoints, known.find((endpoint) => endpoint.endpointId === endpointId)?.url ?? '');
}

const REFUSALS: Record<Exclude<TestRefusal, 'unknown-endpoint'>, string> = {
  'under-way': 'another test of this endpoint is still running; it ends within 15 seconds',
  busy: 'too many deliveries are in progress; try again in a few seconds',
  sanctioned: 'nothing is sent while the guild is sanctioned; lift it with: votary sanction lift <guild_id>',
};

function explainRefusal(reason: TestRefusal, guildId: string, endpointId: string): CommandFailure {
  if (reason === 'unknown-endpoint') return unknownEndpoint(guildId, endpointId);
  return new CommandFailure(`no test was sent: ${REFUSALS[reason]}`);
}

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
