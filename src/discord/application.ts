/** The application at Discord: its commands, its endpoint, and where an administrator adds it to a server. */
import { isRecord } from '../domain/record.ts';
import { DISCORD_API } from '../domain/webhooks/discord.ts';
import { commandTexts } from './messages.ts';
import { DiscordFailure, type DiscordRest } from './rest.ts';

const CHAT_INPUT = 1;
const SUBCOMMAND = 1;
/** Installed in servers, and used there: direct messages have no guild to vote for. */
const GUILD_ONLY = { integration_types: [0], contexts: [0] };

type Described = {
  name: string;
  name_localizations: { fr: string };
  description: string;
  description_localizations: { fr: string };
};

function describe(name: string): Described {
  const texts = commandTexts[name];
  if (!texts) throw new Error(`the command ${name} has no texts`);
  return {
    name: texts.en.name,
    name_localizations: { fr: texts.fr.name },
    description: texts.en.description,
    description_localizations: { fr: texts.fr.description },
  };
}

/** The commands in the format of `PUT /applications/{id}/commands`. */
export const COMMANDS = ['vote', 'vote-status', 'top', 'remind'].map((name) => ({
  type: CHAT_INPUT,
  ...describe(name),
  ...GUILD_ONLY,
  ...(name === 'remind'
    ? { options: ['on', 'off'].map((option) => ({ type: SUBCOMMAND, ...describe(option) })) }
    : {}),
}));

export const COMMAND_NAMES: readonly string[] = COMMANDS.map(({ name }) => name);

/** The application that the bot token belongs to. */
export type Application = { id: string; name: string; publicKey: string; endpointUrl: string | null };

/** Rejects with `DiscordFailure`. */
export async function readApplication(rest: DiscordRest): Promise<Application> {
  const body = await rest.request('GET', '/applications/@me');
  if (!isRecord(body) || typeof body.id !== 'string' || typeof body.verify_key !== 'string')
    throw new DiscordFailure('rejected', 'the application has an unexpected form');
  const { id, name, verify_key: publicKey, interactions_endpoint_url: endpoint } = body;
  return { id, name: String(name), publicKey, endpointUrl: typeof endpoint === 'string' ? endpoint : null };
}

/** The names of the commands that Discord knows. */
export async function readCommands(rest: DiscordRest, { id }: Application): Promise<string[]> {
  const body = await rest.request('GET', `/applications/${id}/commands`);
  return Array.isArray(body) ? body.map((command) => (isRecord(command) ? String(command.name) : '')) : [];
}

/** Replaces all commands of the application. Commands that exist keep their id. */
export async function registerCommands(rest: DiscordRest, { id }: Application): Promise<void> {
  await rest.request('PUT', `/applications/${id}/commands`, COMMANDS);
}

/** Discord calls the URL before it responds, with a valid signature and with an invalid one. */
export async function registerEndpoint(rest: DiscordRest, url: string): Promise<void> {
  await rest.request('PATCH', '/applications/@me', { interactions_endpoint_url: url });
}

/** Where an administrator adds the app to a server. Direct messages need the bot, not only its commands. */
export function inviteUrl({ id }: Application): string {
  const url = new URL('/oauth2/authorize', DISCORD_API);
  url.search = new URLSearchParams({
    client_id: id,
    scope: 'bot applications.commands',
    permissions: '0',
  }).toString();
  return url.href;
}
