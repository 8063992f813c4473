import type { Command } from 'commander';
import { formatInstant, type Instant } from '../domain/clock.ts';
import type { WebhookEndpoint } from '../store/webhook-store.ts';
import { addExamples, guildIdArgument } from './arguments.ts';
import { type Cli, report } from './cli.ts';
import { formatTable } from './table.ts';
import { withEndpoints } from './webhook-context.ts';

export function addListCommand(group: Command, cli: Cli): void {
  const command = group.command('list').description('show the endpoints').addArgument(guildIdArgument());
  addExamples(command, ['webhook list 123456789012345678', 'webhook list 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const found = await withEndpoints(cli, guildId, (endpoints) => endpoints.listEndpoints(guildId));
    const none = `Guild ${guildId} has no endpoint yet. Add one with: votary webhook add ${guildId} <url>`;
    report(cli, found.map(describeEndpoint), found.length === 0 ? none : formatTable(endpointRows(found)));
  });
}

function describeEndpoint(endpoint: WebhookEndpoint): Record<string, unknown> {
  return {
    endpoint_id: endpoint.endpointId,
    name: endpoint.name,
    url: endpoint.url,
    events: endpoint.events,
    created_at: formatInstant(endpoint.createdAt),
    failing_since: formatNullable(endpoint.failingSince),
    disabled_at: formatNullable(endpoint.disabled?.at ?? null),
    disabled_reason: endpoint.disabled?.reason ?? null,
    paused: endpoint.pausedAt !== null,
  };
}

function endpointRows(endpoints: readonly WebhookEndpoint[]): string[][] {
  const rows = endpoints.map((endpoint) => [
    endpoint.endpointId,
    endpoint.name ?? '-',
    endpoint.url,
    endpoint.events.join(','),
    stateText(endpoint),
  ]);
  return [['ENDPOINT', 'NAME', 'URL', 'EVENTS', 'STATE'], ...rows];
}

function stateText({ disabled, failingSince, pausedAt }: WebhookEndpoint): string {
  if (disabled?.reason === 'gone') return `off since ${formatInstant(disabled.at)}: it answered 410 Gone`;
  if (disabled) return `off since ${formatInstant(disabled.at)}: it failed for five days`;
  if (pausedAt !== null) return `paused since ${formatInstant(pausedAt)}`;
  return failingSince === null ? 'on' : `on, failing since ${formatInstant(failingSince)}`;
}

export function formatNullable(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}
