import { Argument, type Command } from 'commander';
import type { Config } from '../../config.ts';
import { isDemoGuild } from '../../demo.ts';
import { formatInstant, formatInstantOrNull } from '../../domain/clock.ts';
import { isNeverAllowed, storedKind } from '../../domain/webhooks/destination.ts';
import { votifierAddress } from '../../domain/webhooks/votifier.ts';
import { loadSecrets } from '../../secrets/master-secret.ts';
import type { Store } from '../../store/store.ts';
import type { Endpoints } from '../../store/webhooks/admin.ts';
import type { WebhookEndpoint } from '../../store/webhooks/store.ts';
import { createEndpoints } from '../../webhooks/endpoints.ts';
import { endpointDeps } from '../../webhooks/open.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  formatTable,
  guildIdArgument,
  report,
  requireGuild,
  withStore,
} from '../cli.ts';

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
    ...describeTarget(endpoint),
    name: endpoint.name,
    events: endpoint.events,
    created_at: formatInstant(endpoint.createdAt),
    failing_since: formatInstantOrNull(endpoint.failingSince),
    disabled_at: formatInstantOrNull(endpoint.disabled?.at ?? null),
    disabled_reason: endpoint.disabled?.reason ?? null,
    paused: endpoint.pausedAt !== null,
  };
}

/** The kind, the address without secrets, and what only this kind has. */
export function describeTarget({ destination, url }: WebhookEndpoint): Record<string, unknown> {
  const kind = storedKind(destination);
  switch (destination.kind) {
    case 'https':
      return { kind, url };
    case 'topgg':
      return { kind, format: destination.format, url };
    case 'discord':
      return { kind, url, language: destination.language, messages: destination.templates };
    case 'votifier':
      return { kind, url, service_name: destination.serviceName, consumer: destination.consumer };
  }
}

function endpointRows(endpoints: readonly WebhookEndpoint[]): string[][] {
  const rows = endpoints.map((endpoint) => [
    endpoint.endpointId,
    kindText(endpoint),
    endpoint.name ?? '-',
    votifierAddress(endpoint.url),
    endpoint.events.join(','),
    stateText(endpoint),
  ]);
  return [['ENDPOINT', 'KIND', 'NAME', 'URL', 'EVENTS', 'STATE'], ...rows];
}

function kindText({ destination }: WebhookEndpoint): string {
  return destination.kind === 'topgg' ? destination.format : destination.kind;
}

function stateText({ destination, disabled, failingSince, pausedAt }: WebhookEndpoint): string {
  const gone =
    destination.kind === 'discord' ? 'Discord does not know the webhook' : 'it responded with 410 Gone';
  if (disabled?.reason === 'gone') return `disabled since ${formatInstant(disabled.at)}: ${gone}`;
  if (disabled) return `disabled since ${formatInstant(disabled.at)}: it failed for five days`;
  if (pausedAt !== null) return `paused since ${formatInstant(pausedAt)}`;
  return failingSince === null ? 'active' : `active, failing since ${formatInstant(failingSince)}`;
}

export function endpointIdArgument(): Argument {
  return new Argument('<endpoint_id>', 'id of the endpoint, as webhook list shows it');
}

/** Runs one operation on the endpoints of a listed guild. `ignored`: a variable that the command reads itself. */
export function withEndpoints<T>(
  cli: Cli,
  guildId: string,
  work: (endpoints: Endpoints) => Promise<T>,
  ignored?: string,
): Promise<T> {
  const run = async (store: Store, config: Config) => {
    await requireGuild(store, guildId);
    const secrets = await loadSecrets(config, store);
    // Like the server of the demo, which the commands are used with.
    const { clock, reach = { allowsLoopback: isDemoGuild(guildId, config) } } = cli;
    const { webhookAllow: allowed, publicUrl: siteUrl, discordApi } = config;
    const deps = { store, clock, random: Math.random, secrets, allowed, siteUrl, discordApi, ...reach };
    return work(createEndpoints(endpointDeps(deps)));
  };
  return withStore(cli, run, ignored === undefined ? {} : { ignored });
}

/** Names the address, and what to do about it. `url`: of the endpoint, or votifier://host:port. */
export async function explainAddress(endpoints: Endpoints, url: string): Promise<string> {
  const refused = await endpoints.refusedAddresses(url);
  const where = refused.length === 0 ? '' : ` (${refused.join(', ')})`;
  const problem = `it points to this machine or to a private or reserved network${where}`;
  const [permitted] = refused.filter((address) => !isNeverAllowed(address));
  if (refused.length > 0 && permitted === undefined) return `${problem}, which cannot be permitted`;
  const example = permitted === undefined ? '' : `, for example VOTARY_WEBHOOK_ALLOW=${permitted}`;
  return `${problem}; to permit a network, add it to VOTARY_WEBHOOK_ALLOW of the server and of this command${example}`;
}

export function unknownEndpoint(guildId: string, endpointId: string): CommandFailure {
  return new CommandFailure(
    `guild ${guildId} has no endpoint ${endpointId}; list its endpoints with: votary webhook list ${guildId}`,
  );
}
