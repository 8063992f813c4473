import type { Command } from 'commander';
import { formatInstant, type Instant } from '../domain/clock.ts';
import type { AttemptResult, DeliveryRecord, WebhookEndpoint } from '../store/webhook-store.ts';
import { addExamples, guildIdArgument } from './arguments.ts';
import { type Cli, report } from './cli.ts';
import { formatTable } from './table.ts';
import { withEndpoints } from './webhook-context.ts';

const LOG_LENGTH = 50;

export function addListCommand(group: Command, cli: Cli): void {
  const command = group.command('list').description('show the endpoints').addArgument(guildIdArgument());
  addExamples(command, ['webhook list 123456789012345678', 'webhook list 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const found = await withEndpoints(cli, guildId, (endpoints) => endpoints.listEndpoints(guildId));
    const none = `Guild ${guildId} has no endpoint yet. Add one with: votary webhook add ${guildId} <url>`;
    report(cli, found.map(describeEndpoint), found.length === 0 ? none : formatTable(endpointRows(found)));
  });
}

export function addLogCommand(group: Command, cli: Cli): void {
  const command = group
    .command('log')
    .description(`show the last ${LOG_LENGTH} deliveries, each with its last try`)
    .addArgument(guildIdArgument());
  addExamples(command, ['webhook log 123456789012345678', 'webhook log 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const log = await withEndpoints(cli, guildId, (endpoints) => endpoints.deliveryLog(guildId, LOG_LENGTH));
    const none = 'Nothing has been sent yet.';
    report(cli, log.map(describeDelivery), log.length === 0 ? none : formatTable(deliveryRows(log)));
  });
}

function describeEndpoint(endpoint: WebhookEndpoint): Record<string, unknown> {
  return {
    endpoint_id: endpoint.endpointId,
    url: endpoint.url,
    events: endpoint.events,
    created_at: formatInstant(endpoint.createdAt),
    failing_since: formatNullable(endpoint.failingSince),
    disabled_at: formatNullable(endpoint.disabled?.at ?? null),
    disabled_reason: endpoint.disabled?.reason ?? null,
  };
}

function endpointRows(endpoints: readonly WebhookEndpoint[]): string[][] {
  const rows = endpoints.map((endpoint) => [
    endpoint.endpointId,
    endpoint.url,
    endpoint.events.join(','),
    stateText(endpoint),
  ]);
  return [['ENDPOINT', 'URL', 'EVENTS', 'STATE'], ...rows];
}

function stateText({ disabled, failingSince }: WebhookEndpoint): string {
  if (disabled?.reason === 'gone') return `off since ${formatInstant(disabled.at)}: it answered 410 Gone`;
  if (disabled) return `off since ${formatInstant(disabled.at)}: it failed for five days`;
  return failingSince === null ? 'on' : `on, failing since ${formatInstant(failingSince)}`;
}

function describeDelivery(delivery: DeliveryRecord): Record<string, unknown> {
  return {
    event_id: delivery.eventId,
    type: delivery.type,
    endpoint_id: delivery.endpointId,
    occurred_at: formatInstant(delivery.occursAt),
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: formatNullable(delivery.nextAttemptAt),
    last_attempt: delivery.lastAttempt && describeAttempt(delivery.lastAttempt),
  };
}

export function describeAttempt({
  at,
  status,
  durationMs,
  answer,
  error,
}: AttemptResult): Record<string, unknown> {
  return { at: formatInstant(at), status, duration_ms: durationMs, answer, error };
}

function deliveryRows(log: readonly DeliveryRecord[]): string[][] {
  const rows = log.map((delivery) => [
    formatInstant(delivery.occursAt),
    delivery.type,
    delivery.eventId,
    delivery.endpointId,
    delivery.state,
    resultText(delivery),
  ]);
  return [['TIME', 'TYPE', 'EVENT', 'ENDPOINT', 'STATE', 'LAST TRY'], ...rows];
}

function resultText({ lastAttempt, nextAttemptAt }: DeliveryRecord): string {
  const next = nextAttemptAt === null ? '' : `; next ${formatInstant(nextAttemptAt)}`;
  return (lastAttempt ? (lastAttempt.error ?? `status ${lastAttempt.status}`) : 'none yet') + next;
}

function formatNullable(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}
