import { Argument } from 'commander';
import { loadSecrets } from '../../secrets/master-secret.ts';
import type { Endpoints } from '../../store/webhooks/admin.ts';
import { createEndpoints } from '../../webhooks/endpoints.ts';
import { endpointDeps } from '../../webhooks/webhooks.ts';
import { type Cli, CommandFailure, notListed, withStore } from '../cli.ts';

export function endpointIdArgument(): Argument {
  return new Argument('<endpoint_id>', 'id of the endpoint, as webhook list shows it');
}

/** Runs one operation on the endpoints of a listed guild. */
export function withEndpoints<T>(
  cli: Cli,
  guildId: string,
  work: (endpoints: Endpoints) => Promise<T>,
): Promise<T> {
  return withStore(cli, async (store, config) => {
    if (!(await store.guilds.find(guildId))) throw notListed(guildId);
    const secrets = await loadSecrets(config, store);
    const { clock, reach = { allowsLoopback: false } } = cli;
    const { webhookAllow: allowed, publicUrl: siteUrl, discordApi } = config;
    const deps = { store, clock, random: Math.random, secrets, allowed, siteUrl, discordApi, ...reach };
    return work(createEndpoints(endpointDeps(deps)));
  });
}

export function unknownEndpoint(guildId: string, endpointId: string): CommandFailure {
  return new CommandFailure(
    `guild ${guildId} has no endpoint ${endpointId}; see those it has with: votary webhook list ${guildId}`,
  );
}
