import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import { readDiscordWaitMs } from '../../domain/discord-limit.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import { isRecord } from '../../domain/record.ts';
import { cleanName } from '../../domain/text/names.ts';
import { DISCORD_API } from '../../domain/webhooks/discord.ts';
import { GUILD_NAME_MAX_LENGTH } from '../../moderation/guilds.ts';
import type { UserProfile } from '../../store/users.ts';
import { PageError } from '../errors/page-error.ts';
import type { AdminGuild } from './sign-in.ts';

/** The URLs of Discord. */
export type DiscordEndpoints = {
  /** The consent page, opened by browsers. */
  authorize: URL;
  token: URL;
  revoke: URL;
  user: URL;
  guilds: URL;
  /** `<icons><guild_id>/<icon>.png` */
  icons: URL;
};

const DISCORD_AUTHORIZE = 'https://discord.com/oauth2/authorize';
const DISCORD_IMAGES = 'https://cdn.discordapp.com';

/** Discord serves its consent page, its images and its API from different hosts; a test server has one. */
export function discordEndpoints(api: string | null): DiscordEndpoints {
  const base = api ?? DISCORD_API;
  return {
    authorize: new URL(api === null ? DISCORD_AUTHORIZE : `${api}/oauth2/authorize`),
    token: new URL(`${base}/oauth2/token`),
    revoke: new URL(`${base}/oauth2/token/revoke`),
    user: new URL(`${base}/users/@me`),
    guilds: new URL(`${base}/users/@me/guilds`),
    icons: new URL(`${api ?? DISCORD_IMAGES}/icons/`),
  };
}

/**
 * Requests to Discord on behalf of a person. Responses are validated first: names are untrusted text, and a proxy or
 * an outage may return anything.
 */

/** Discord rejects this token: the person revoked it, or it has expired. */
export class TokenRefused extends Error {}

export type DiscordApi = {
  person(accessToken: string, signal: AbortSignal): Promise<UserProfile>;
  /** All guilds of the person. */
  guildIds(accessToken: string, signal: AbortSignal): Promise<string[]>;
  /** The guilds where the person is owner or has ADMINISTRATOR. */
  adminGuilds(accessToken: string, signal: AbortSignal): Promise<AdminGuild[]>;
};

const ADMINISTRATOR = 0x8n;
const TOKEN_REFUSED_STATUS = 401;
/** Twice Discord's limit for user names, which must fit into the session cookie. */
const PERSON_NAME_MAX_LENGTH = 64;
const IMAGE_HASH = /^(?:a_)?[0-9a-f]{32}$/;

type DiscordUser = { id: string; username: string; global_name?: string | null; avatar?: unknown };

/** `permissions` is a decimal string, because the bits exceed a number; older API versions used a number. */
type DiscordGuild = {
  id: string;
  name: string;
  owner?: boolean;
  permissions: string | number;
  icon?: unknown;
};

export function discordApi(endpoints: DiscordEndpoints, userAgent: string, pause: DiscordPause): DiscordApi {
  /** A redirect would send the token to another host. */
  async function get<T>(
    url: URL,
    isExpected: (body: unknown) => body is T,
    token: string,
    signal: AbortSignal,
  ) {
    pause.check(token);
    const headers = { authorization: `Bearer ${token}`, 'user-agent': userAgent };
    const response = await fetch(url, { headers, signal, redirect: 'error' });
    await pause.apply(response, token);
    return readJson(url, response, isExpected);
  }

  return {
    async person(token, signal) {
      const user = await get(endpoints.user, isUser, token, signal);
      const [name = user.id] = [user.global_name, user.username]
        .map((text) => cleanName(text ?? '', PERSON_NAME_MAX_LENGTH))
        .filter((text) => text !== '');
      return { userId: user.id, name, avatar: readImage(user.avatar) };
    },
    async guildIds(token, signal) {
      return (await get(endpoints.guilds, isGuildList, token, signal)).map(({ id }) => id);
    },
    async adminGuilds(token, signal) {
      const guilds = await get(endpoints.guilds, isGuildList, token, signal);
      return guilds.filter(isAdministered).map(toAdminGuild);
    },
  };
}

function isUser(body: unknown): body is DiscordUser {
  if (!isRecord(body)) return false;
  const { id, username, global_name = null } = body;
  return (
    isId(id) && typeof username === 'string' && (global_name === null || typeof global_name === 'string')
  );
}

function isGuildList(body: unknown): body is DiscordGuild[] {
  return Array.isArray(body) && body.every(isGuild);
}

function isGuild(body: unknown): body is DiscordGuild {
  if (!isRecord(body)) return false;
  const { id, name, owner = false, permissions } = body;
  return isId(id) && typeof name === 'string' && typeof owner === 'boolean' && isPermissions(permissions);
}

function isPermissions(value: unknown): boolean {
  if (typeof value === 'string') return /^[0-9]{1,40}$/.test(value);
  return Number.isInteger(value) && Number(value) >= 0;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && isSnowflake(value);
}

function isAdministered({ owner, permissions }: DiscordGuild): boolean {
  return owner === true || (BigInt(permissions) & ADMINISTRATOR) !== 0n;
}

function toAdminGuild({ id, name, icon }: DiscordGuild): AdminGuild {
  const guild = { guildId: id, name: cleanName(name, GUILD_NAME_MAX_LENGTH) || id };
  return icon === undefined ? guild : { ...guild, icon: readImage(icon) };
}

/** The picture is optional: an unknown format must not prevent the sign-in. */
function readImage(value: unknown): string | null {
  return typeof value === 'string' && IMAGE_HASH.test(value) ? value : null;
}

async function readJson<T>(
  url: URL,
  response: Response,
  isExpected: (body: unknown) => body is T,
): Promise<T> {
  if (response.status === TOKEN_REFUSED_STATUS) throw new TokenRefused(`${url.pathname} refused the token`);
  if (!response.ok) throw new Error(`${url.pathname} responded with status ${response.status}`);
  const body: unknown = await response.json();
  if (!isExpected(body)) throw new Error(`${url.pathname} returned an unexpected body`);
  return body;
}

/** Bounds of the pause; the minimum also applies to responses without a time. */
type PauseBounds = { minMs: number; maxMs: number };

const RATE_LIMITED_STATUS = 429;
const PAUSE_BOUNDS: PauseBounds = { minMs: 5 * SECOND_MS, maxMs: MINUTE_MS };

/**
 * Pauses requests to Discord after a 429 for the time it names: further requests would extend the block, and any
 * visitor can cause them.
 */
export class DiscordPause {
  readonly #clock: Clock;
  readonly #bounds: PauseBounds;
  readonly #byToken = new Map<string, Instant>();
  #until: Instant = 0;

  constructor(clock: Clock, bounds: PauseBounds = PAUSE_BOUNDS) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Throws an error page with the waiting time while requests are paused, in general or for this token. */
  check(token?: string): void {
    const until = Math.max(this.#until, (token !== undefined && this.#byToken.get(token)) || 0);
    const waitMs = until - this.#clock();
    if (waitMs <= 0) return;
    throw new PageError('SIGN_IN_PAUSED', { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) });
  }

  /**
   * Starts a pause and throws its page if the response is a 429. A limit on one user (scope "user") only pauses that
   * token, so that no user can disable sign-in for everyone.
   */
  async apply(response: Response, token?: string): Promise<void> {
    if (response.status !== RATE_LIMITED_STATUS) return;
    const until = this.#clock() + (await this.#readWaitMs(response));
    if (token !== undefined && response.headers.get('x-ratelimit-scope') === 'user') this.#keep(token, until);
    else this.#until = Math.max(this.#until, until);
    this.check(token);
  }

  async #readWaitMs(response: Response): Promise<number> {
    const { minMs, maxMs } = this.#bounds;
    const body: unknown = await response.json().catch(() => null);
    const waitMs = readDiscordWaitMs(response.headers.get('retry-after'), body);
    return Math.min(maxMs, Math.max(minMs, waitMs));
  }

  #keep(token: string, until: Instant): void {
    const now = this.#clock();
    for (const [known, end] of this.#byToken) if (end <= now) this.#byToken.delete(known);
    this.#byToken.set(token, until);
  }
}
