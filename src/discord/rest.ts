/**
 * Discord's REST API, within its rate limits: a request that Discord does not allow yet is rejected with the time to
 * wait, and the caller decides when to retry.
 *
 *   const rest = createDiscordRest({ api: config.discordApi, botToken, userAgent, clock });
 *   await rest.editResponse(interaction, message);
 */
import { type Clock, type Instant, SECOND_MS } from '../domain/clock.ts';
import { readDiscordWaitMs } from '../domain/discord-limit.ts';
import { isRecord } from '../domain/record.ts';
import { DISCORD_API } from '../domain/webhooks/discord.ts';
import type { AppMessage, FollowUp } from './interaction.ts';

const TIMEOUT_MS = 10 * SECOND_MS;

/**
 * Why a request failed.
 * - `limited`: not sent, or not accepted, because of a rate limit.
 * - `forbidden`: Discord does not let the app do it, for example because the user accepts no direct messages.
 * - `unauthorized`: the bot token is wrong.
 * - `rejected`: any other error that a retry cannot fix.
 * - `unknown`: no response, or an error of Discord. The request may have been executed.
 */
export type Failure = 'limited' | 'forbidden' | 'unauthorized' | 'rejected' | 'unknown';

type FailureDetails = { retryAfterMs?: number; code?: number | null };

export class DiscordFailure extends Error {
  readonly reason: Failure;
  readonly retryAfterMs: number;
  /** Discord's own number of the error; null if there is none. */
  readonly code: number | null;

  constructor(reason: Failure, message: string, { retryAfterMs = 0, code = null }: FailureDetails = {}) {
    super(message);
    this.name = 'DiscordFailure';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.code = code;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type DiscordRest = {
  /** `route` starts with a slash and may have a query. Rejects with `DiscordFailure`. */
  request(method: Method, route: string, body?: unknown): Promise<unknown>;
  /** Replaces a deferred response. Works for 15 minutes, and without a bot token. */
  editResponse(followUp: FollowUp, message: AppMessage): Promise<void>;
};

type Options = {
  /** Null: Discord itself. */
  api: string | null;
  botToken: string | null;
  userAgent: string;
  clock: Clock;
  timeoutMs?: number;
};

type Call = { method: Method; route: string; body?: unknown; headers: Record<string, string> };

export function createDiscordRest(options: Options): DiscordRest {
  const { api, botToken, userAgent, clock, timeoutMs = TIMEOUT_MS } = options;
  const limits = new RateLimits(clock);

  async function send({ method, route, body, headers }: Call): Promise<Response> {
    return fetch(`${api ?? DISCORD_API}${route}`, {
      method,
      headers: {
        'user-agent': userAgent,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The token is for this host only.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
  }

  async function call(given: Call): Promise<unknown> {
    const key = `${given.method} ${limitedRoute(given.route)}`;
    limits.check(key);
    try {
      const response = await send(given);
      const body = parseBody(await response.text());
      limits.learn(key, response, body);
      if (!response.ok) throw failureOf(response.status, body);
      if (body !== undefined || response.status === NO_CONTENT_STATUS) return body;
      throw new DiscordFailure('unknown', 'the response is not JSON');
    } catch (error) {
      throw error instanceof DiscordFailure ? error : new DiscordFailure('unknown', reasonOf(error));
    }
  }

  return {
    request: (method, route, body) =>
      call({ method, route, body, headers: botToken === null ? {} : { authorization: `Bot ${botToken}` } }),
    async editResponse({ applicationId, token }, message) {
      const route = `/webhooks/${applicationId}/${encodeURIComponent(token)}/messages/@original`;
      await call({ method: 'PATCH', route, body: message, headers: {} });
    },
  };
}

/** The path that a rate limit is for. Inside a server, all its users and roles share a limit. */
function limitedRoute(route: string): string {
  const [path = ''] = route.split('?', 1);
  const [, guild, rest] = /^(\/guilds\/\d+)(\/.+)$/.exec(path) ?? [];
  return guild === undefined || rest === undefined ? path : guild + rest.replaceAll(/\d+/g, ':id');
}

/** Undefined when it is not JSON: a proxy in front of Discord may return anything. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` hides the system's reason behind "fetch failed". */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

const NO_CONTENT_STATUS = 204;
const UNAUTHORIZED_STATUS = 401;
const FORBIDDEN_STATUS = 403;
const NOT_FOUND_STATUS = 404;
const RATE_LIMITED_STATUS = 429;

function failureOf(status: number, body: unknown): DiscordFailure {
  const { message, code } = isRecord(body) ? body : {};
  const text = typeof message === 'string' ? message : `status ${status}`;
  const number = typeof code === 'number' && code > 0 ? code : null;
  if (status < 400 || status >= 500) return new DiscordFailure('unknown', text);
  if (status === UNAUTHORIZED_STATUS) return new DiscordFailure('unauthorized', text);
  if (status !== FORBIDDEN_STATUS && status !== NOT_FOUND_STATUS)
    return new DiscordFailure('rejected', withDetails(text, body), { code: number });
  // Only Discord itself has numeric error codes; a proxy in front of it may return 403, too.
  return new DiscordFailure(number === null ? 'unknown' : 'forbidden', text, { code: number });
}

/** Discord names the invalid fields of a request in a nested object. */
function withDetails(text: string, body: unknown): string {
  return isRecord(body) && body.errors !== undefined ? `${text}: ${JSON.stringify(body.errors)}` : text;
}

/**
 * Until when Discord accepts nothing, by route and in general. Requests that are under way when a limit is reached get
 * a 429 each; later ones are not sent.
 */
class RateLimits {
  readonly #clock: Clock;
  /** When each method and path can be used again. Every channel and every server has its own limits. */
  readonly #byRoute = new Map<string, Instant>();
  #globalUntil: Instant = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  check(route: string): void {
    const waitMs = Math.max(this.#globalUntil, this.#byRoute.get(route) ?? 0) - this.#clock();
    if (waitMs > 0) throw limited(waitMs);
  }

  /** Throws if the response is a 429. */
  learn(route: string, { status, headers }: Response, body: unknown): void {
    if (status === RATE_LIMITED_STATUS) {
      const waitMs = readDiscordWaitMs(headers.get('retry-after'), body);
      // Without a scope it is not Discord that limits this route, but the network in front of it that blocks us.
      const isForRoute = ['user', 'shared'].includes(headers.get('x-ratelimit-scope') ?? '');
      if (isForRoute) this.#pause(route, waitMs);
      else this.#globalUntil = Math.max(this.#globalUntil, this.#clock() + waitMs);
      throw limited(waitMs);
    }
    const resetMs = Number(headers.get('x-ratelimit-reset-after')) * SECOND_MS;
    if (headers.get('x-ratelimit-remaining') === '0' && resetMs > 0) this.#pause(route, Math.ceil(resetMs));
  }

  #pause(route: string, waitMs: number): void {
    const now = this.#clock();
    for (const [known, until] of this.#byRoute) if (until <= now) this.#byRoute.delete(known);
    this.#byRoute.set(route, now + waitMs);
  }
}

function limited(retryAfterMs: number): DiscordFailure {
  return new DiscordFailure('limited', 'Discord asks to wait', { retryAfterMs });
}
