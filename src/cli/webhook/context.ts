import { Argument } from 'commander';
import type { Config } from '../../config.ts';
import { loadSecrets } from '../../secrets/master-secret.ts';
import type { Store } from '../../store/store.ts';
import type { Endpoints } from '../../store/webhooks/admin.ts';
import { createEndpoints } from '../../webhooks/endpoints.ts';
import { endpointDeps } from '../../webhooks/webhooks.ts';
import { type Cli, CommandFailure, notListed, withStore } from '../cli.ts';

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
    if (!(await store.guilds.find(guildId))) throw notListed(guildId);
    const secrets = await loadSecrets(config, store);
    const { clock, reach = { allowsLoopback: false } } = cli;
    const { webhookAllow: allowed, publicUrl: siteUrl, discordApi } = config;
    const deps = { store, clock, random: Math.random, secrets, allowed, siteUrl, discordApi, ...reach };
    return work(createEndpoints(endpointDeps(deps)));
  };
  return withStore(cli, run, ignored === undefined ? {} : { ignored });
}

export function unknownEndpoint(guildId: string, endpointId: string): CommandFailure {
  return new CommandFailure(
    `guild ${guildId} has no endpoint ${endpointId}; see those it has with: votary webhook list ${guildId}`,
  );
}
