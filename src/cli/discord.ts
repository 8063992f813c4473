import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { INTERACTIONS_PATH } from '../discord/app.ts';
import {
  type Application,
  COMMAND_NAMES,
  inviteUrl,
  readApplication,
  readCommands,
  registerCommands,
  registerEndpoint,
} from '../discord/application.ts';
import { createDiscordRest, DiscordFailure, type DiscordRest } from '../discord/rest.ts';
import { discordUserAgent } from '../discord/user-agent.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { addExamples, type Cli, CommandFailure, formatTable, report } from './cli.ts';

export function addDiscordCommands(program: Command, cli: Cli): void {
  const discord = program.command('discord').description('set up the Discord app: commands and reminders');
  addExamples(discord, ['discord status', 'discord register']);
  addRegisterCommand(discord, cli);
  addStatusCommand(discord, cli);
}

function addRegisterCommand(discord: Command, cli: Cli): void {
  const command = discord
    .command('register')
    .description('register the commands and the endpoint URL with Discord; serve must be running');
  addExamples(command, ['discord register', 'discord register --env-file /etc/votary/env --json']);
  command.action(async () => {
    const config = readConfig(cli.environment);
    const endpointUrl = requireEndpointUrl(config);
    const application = await withRest(cli, config, async (rest) => {
      const found = await readApplication(rest);
      requireOwnKey(config, found);
      await registerCommands(rest, found);
      await registerEndpoint(rest, endpointUrl).catch((error: unknown) => {
        throw endpointRefused(endpointUrl, error);
      });
      return found;
    });
    const invite = inviteUrl(application);
    report(
      cli,
      {
        application_id: application.id,
        commands: COMMAND_NAMES,
        interactions_endpoint_url: endpointUrl,
        invite_url: invite,
      },
      `Registered ${COMMAND_NAMES.map((name) => `/${name}`).join(', ')} and ${endpointUrl} for ${application.name}.\nAdd the app to a server: ${invite}`,
    );
  });
}

function addStatusCommand(discord: Command, cli: Cli): void {
  const command = discord.command('status').description('show what is configured, and what is missing');
  addExamples(command, ['discord status', 'discord status --json']);
  command.action(async () => {
    const findings = await checkApp(cli, readConfig(cli.environment));
    const isReady = findings.every(({ status }) => status === 'ok');
    const rows = findings.flatMap(({ check, status, message, advice }) => [
      [status === 'ok' ? 'ok' : status.toUpperCase(), check, message],
      ...(advice === undefined ? [] : [['', '', `-> ${advice}`]]),
    ]);
    report(cli, { ok: isReady, checks: findings }, formatTable(rows));
  });
}

type Finding = { check: string; status: 'ok' | 'missing' | 'failed'; message: string; advice?: string };

async function checkApp(cli: Cli, config: Config): Promise<Finding[]> {
  const { discordApp, publicUrl } = config;
  const { publicKey, botToken } = discordApp;
  const settings: Finding[] = [
    setting(
      'public key',
      publicKey !== null,
      'set VOTARY_DISCORD_PUBLIC_KEY: without it the app is disabled',
    ),
    setting(
      'bot token',
      botToken !== null,
      'set VOTARY_DISCORD_BOT_TOKEN: reminders and discord register need it',
    ),
    setting('public URL', publicUrl !== null, 'set VOTARY_PUBLIC_URL to the address that Discord can reach'),
  ];
  if (botToken === null) return settings;
  try {
    return [...settings, ...(await withRest(cli, config, (rest) => checkApplication(rest, config)))];
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return [...settings, { check: 'application', status: 'failed', message: error.message }];
  }
}

function setting(check: string, isSet: boolean, advice: string): Finding {
  return isSet
    ? { check, status: 'ok', message: 'set' }
    : { check, status: 'missing', message: 'not set', advice };
}

async function checkApplication(rest: DiscordRest, config: Config): Promise<Finding[]> {
  const application = await readApplication(rest);
  const { publicKey } = config.discordApp;
  const findings: Finding[] = [
    publicKey === null || publicKey === application.publicKey
      ? { check: 'application', status: 'ok', message: `${application.name} (${application.id})` }
      : {
          check: 'application',
          status: 'failed',
          message:
            'VOTARY_DISCORD_PUBLIC_KEY belongs to a different application than VOTARY_DISCORD_BOT_TOKEN',
          advice: `set VOTARY_DISCORD_PUBLIC_KEY=${application.publicKey}`,
        },
  ];
  const registered = await readCommands(rest, application);
  const missing = COMMAND_NAMES.filter((name) => !registered.includes(name));
  const register = 'run: votary discord register';
  findings.push(
    missing.length === 0
      ? { check: 'commands', status: 'ok', message: registered.map((name) => `/${name}`).join(', ') }
      : {
          check: 'commands',
          status: 'missing',
          message: missing.map((name) => `/${name}`).join(', '),
          advice: register,
        },
  );
  const { endpointUrl } = application;
  if (endpointUrl === null)
    return [
      ...findings,
      { check: 'endpoint', status: 'missing', message: 'not registered', advice: register },
    ];
  const isOurs = config.publicUrl !== null && endpointUrl === config.publicUrl + INTERACTIONS_PATH;
  return [
    ...findings,
    isOurs
      ? { check: 'endpoint', status: 'ok', message: endpointUrl }
      : { check: 'endpoint', status: 'failed', message: `Discord calls ${endpointUrl}`, advice: register },
  ];
}

function requireEndpointUrl({ discordApp, publicUrl }: Config): string {
  const missing = [
    ...(discordApp.botToken === null ? ['VOTARY_DISCORD_BOT_TOKEN'] : []),
    ...(publicUrl === null ? ['VOTARY_PUBLIC_URL'] : []),
  ];
  if (missing.length > 0 || publicUrl === null)
    throw new CommandFailure(
      `set ${missing.join(' and ')} first; votary discord status shows what is missing`,
    );
  return publicUrl + INTERACTIONS_PATH;
}

/** Without the right key, Discord would find that the endpoint rejects everything. */
function requireOwnKey({ discordApp }: Config, { publicKey, name }: Application): void {
  if (discordApp.publicKey === publicKey) return;
  const problem = discordApp.publicKey === null ? 'is not set' : 'is not the key of this application';
  throw new CommandFailure(
    `VOTARY_DISCORD_PUBLIC_KEY ${problem}: set it to ${publicKey} (${name}), restart serve, then run this again`,
  );
}

function endpointRefused(url: string, error: unknown): unknown {
  if (!(error instanceof DiscordFailure) || error.reason !== 'rejected') return error;
  return new CommandFailure(
    `the commands are registered, but Discord cannot verify ${url}: it must be reachable from the internet over HTTPS, and serve must run with VOTARY_DISCORD_PUBLIC_KEY (${error.message.replaceAll('\n', ' ')})`,
  );
}

async function withRest<T>(
  { clock }: Cli,
  config: Config,
  work: (rest: DiscordRest) => Promise<T>,
): Promise<T> {
  const { discordApi: api, discordApp } = config;
  const userAgent = discordUserAgent(config);
  try {
    return await work(createDiscordRest({ api, botToken: discordApp.botToken, userAgent, clock }));
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    if (error.reason === 'unauthorized')
      throw new CommandFailure(
        'Discord rejected VOTARY_DISCORD_BOT_TOKEN: reset it on the page "Bot" and set the new one',
      );
    if (error.reason === 'limited')
      throw new CommandFailure(
        `${error.message}: try again in ${Math.ceil(error.retryAfterMs / SECOND_MS)} s`,
      );
    const details = error.message.replaceAll('\n', ' ');
    if (error.reason === 'unknown')
      throw new CommandFailure(
        `Discord cannot be reached, or does not work now (${details}): check that this machine can connect to discord.com, then try again`,
      );
    throw new CommandFailure(`Discord did not answer as expected: ${details}`);
  }
}
