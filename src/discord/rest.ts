/**
 * Discord's REST API, within its rate limits: a request that Discord does not allow yet is rejected with the time to
 * wait, and whoever asked decides when to try again.
 *
 *   const rest = await openDiscordRest({ api: config.discordApi, botToken: config.discordApp.botToken });
 *   await rest.editResponse(interaction, message);
 *   rest.close();
 */
import type { RouteLike } from '@discordjs/rest';
import { SECOND_MS } from '../domain/clock.ts';
import type { AppMessage } from './components.ts';
import type { FollowUp } from './interaction.ts';

export const DISCORD_API = 'https://discord.com/api/v10';

const TIMEOUT_MS = 10 * SECOND_MS;
const FORBIDDEN_STATUS = 403;
const UNAUTHORIZED_STATUS = 401;
const NOT_FOUND_STATUS = 404;

/**
 * Why a request failed.
 * - `limited`: not sent, or not accepted, because of a rate limit.
 * - `forbidden`: Discord does not let the app do it, for example because the user accepts no direct messages.
 * - `unauthorized`: the bot token is wrong.
 * - `rejected`: any other answer that will stay the same.
 * - `unknown`: no answer, or an error of Discord. What was asked may have been done.
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
    // Only Discord itself has numbers for its errors; a proxy in front of it may answer 403, too.
    const isOfDiscord = typeof error.code === 'number' && error.code > 0;
    if (error.status === UNAUTHORIZED_STATUS) return new DiscordFailure('unauthorized', message);
    const isRefused = error.status === FORBIDDEN_STATUS || error.status === NOT_FOUND_STATUS;
    if (isRefused && !isOfDiscord) return new DiscordFailure('unknown', message);
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
