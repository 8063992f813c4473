/**
 * Discord's REST API, within its rate limits: a request that Discord does not allow yet is rejected with the time to
 * wait, and the caller decides when to retry.
 *
 *   const rest = await openDiscordRest({ api: config.discordApi, botToken: config.discordApp.botToken });
 *   await rest.editResponse(interaction, message);
 *   rest.close();
 */
import type { RouteLike } from '@discordjs/rest';
import { SECOND_MS } from '../domain/clock.ts';
import { isRecord } from '../domain/text.ts';
import { DISCORD_API } from '../domain/webhooks/discord.ts';
import type { AppMessage, FollowUp } from './interaction.ts';
import { commandTexts } from './messages.ts';

const TIMEOUT_MS = 10 * SECOND_MS;
const FORBIDDEN_STATUS = 403;
const UNAUTHORIZED_STATUS = 401;
const NOT_FOUND_STATUS = 404;

/**
 * Why a request failed.
 * - `limited`: not sent, or not accepted, because of a rate limit.
 * - `forbidden`: Discord does not let the app do it, for example because the user accepts no direct messages.
 * - `unauthorized`: the bot token is wrong.
 * - `rejected`: any other error that a retry cannot fix.
 * - `unknown`: no response, or an error of Discord. The request may have been executed.
 */
export type Failure = 'limited' | 'forbidden' | 'unauthorized' | 'rejected' | 'unknown';

export class DiscordFailure extends Error {
  readonly reason: Failure;
  readonly retryAfterMs: number;

  constructor(reason: Failure, message: string, { retryAfterMs = 0 } = {}) {
    super(message);
    this.name = 'DiscordFailure';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

type Method = 'Get' | 'Post' | 'Put' | 'Patch';

export type DiscordRest = {
  /** Rejects with `DiscordFailure`. */
  request(method: Method, route: RouteLike, body?: unknown): Promise<unknown>;
  /** Replaces a deferred response. Works for 15 minutes, and without a bot token. */
  editResponse(followUp: FollowUp, message: AppMessage): Promise<void>;
  close(): void;
};

type Options = { api: string | null; botToken: string | null };

/** The library is loaded here, because only a configured app needs it. */
export async function openDiscordRest({ api, botToken }: Options): Promise<DiscordRest> {
  const { REST, DiscordAPIError, RateLimitError, RequestMethod } = await import('@discordjs/rest');
  const rest = new REST({
    api: api ?? DISCORD_API,
    retries: 0,
    timeout: TIMEOUT_MS,
    rejectOnRateLimit: () => true,
    userAgentAppendix: 'Votary',
  });

  function explain(error: unknown): DiscordFailure {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof RateLimitError) {
      const retryAfterMs = Math.max(error.retryAfter, error.timeToReset, SECOND_MS);
      return new DiscordFailure('limited', 'Discord asks to wait', { retryAfterMs });
    }
    if (!(error instanceof DiscordAPIError)) return new DiscordFailure('unknown', message);
    // Only Discord itself has numeric error codes; a proxy in front of it may return 403, too.
    const isFromDiscord = typeof error.code === 'number' && error.code > 0;
    if (error.status === UNAUTHORIZED_STATUS) return new DiscordFailure('unauthorized', message);
    const isRefused = error.status === FORBIDDEN_STATUS || error.status === NOT_FOUND_STATUS;
    if (isRefused && !isFromDiscord) return new DiscordFailure('unknown', message);
    return new DiscordFailure(isRefused ? 'forbidden' : 'rejected', message);
  }

  async function call(method: Method, fullRoute: RouteLike, options: { body?: unknown; auth: boolean }) {
    // After a 401 the library forgets the token.
    if (botToken !== null) rest.setToken(botToken);
    try {
      // The version is part of the base URL.
      return await rest.request({ method: RequestMethod[method], fullRoute, versioned: false, ...options });
    } catch (error) {
      throw explain(error);
    }
  }

  return {
    request: (method, route, body) =>
      call(method, route, { auth: true, ...(body === undefined ? {} : { body }) }),
    async editResponse({ applicationId, token }, message) {
      const route = `/webhooks/${applicationId}/${encodeURIComponent(token)}/messages/@original` as const;
      await call('Patch', route, { body: message, auth: false });
    },
    close() {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    },
  };
}

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

/** As `PUT /applications/{id}/commands` expects them. */
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
  const body = await rest.request('Get', '/applications/@me');
  if (!isRecord(body) || typeof body.id !== 'string' || typeof body.verify_key !== 'string')
    throw new DiscordFailure('rejected', 'the application has an unexpected form');
  const { id, name, verify_key: publicKey, interactions_endpoint_url: endpoint } = body;
  return { id, name: String(name), publicKey, endpointUrl: typeof endpoint === 'string' ? endpoint : null };
}

/** The names of the commands that Discord knows. */
export async function readCommands(rest: DiscordRest, { id }: Application): Promise<string[]> {
  const body = await rest.request('Get', `/applications/${id}/commands`);
  return Array.isArray(body) ? body.map((command) => (isRecord(command) ? String(command.name) : '')) : [];
}

/** Replaces all commands of the application. Commands that exist keep their id. */
export async function registerCommands(rest: DiscordRest, { id }: Application): Promise<void> {
  await rest.request('Put', `/applications/${id}/commands`, COMMANDS);
}

/** Discord calls the URL before it responds, with a valid signature and with an invalid one. */
export async function registerEndpoint(rest: DiscordRest, url: string): Promise<void> {
  await rest.request('Patch', '/applications/@me', { interactions_endpoint_url: url });
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
