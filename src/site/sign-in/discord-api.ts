/**
 * The two questions we ask Discord in a person's name. Its answers are checked before they are believed: names are
 * anybody's text, and a proxy or an outage may answer anything at all.
 */
import Type from 'typebox';
import Value from 'typebox/value';
import { TOKEN_REFUSED_STATUS } from '../../domain/errors.ts';
import { SNOWFLAKE_PATTERN } from '../../domain/identifiers.ts';
import type { Person } from '../person.ts';
import type { DiscordEndpoints } from './discord-endpoints.ts';
import type { AdminGuild } from './sign-in.ts';

/** Discord no longer takes this token: the person withdrew it, or it has run out. */
export class TokenRefused extends Error {}

export type DiscordApi = {
  person(accessToken: string, signal: AbortSignal): Promise<Person>;
  /** The guilds where the person is owner or has ADMINISTRATOR. */
  adminGuilds(accessToken: string, signal: AbortSignal): Promise<AdminGuild[]>;
};

const ADMINISTRATOR = 0x8n;
/** Twice what Discord allows a person, and what it allows a guild. The first has to fit into the session cookie. */
const MAX_PERSON_NAME_LENGTH = 64;
const MAX_GUILD_NAME_LENGTH = 100;
/** Control characters garble a page; the others turn the text around them. */
const UNSAFE_IN_NAMES = /[\p{Cc}\p{Bidi_Control}]+/gu;

const Snowflake = Type.String({ pattern: SNOWFLAKE_PATTERN });

const DiscordUser = Type.Object({
  id: Snowflake,
  username: Type.String(),
  global_name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

const DiscordGuild = Type.Object({
  id: Snowflake,
  name: Type.String(),
  owner: Type.Optional(Type.Boolean()),
  /** Decimal digits, since the bits are more than a number holds; older versions of the API wrote a number. */
  permissions: Type.Union([Type.String({ pattern: '^[0-9]{1,40}$' }), Type.Integer({ minimum: 0 })]),
});

export function discordApi(endpoints: DiscordEndpoints, userAgent: string): DiscordApi {
  const get = <const Schema extends Type.TSchema>(
    url: URL,
    schema: Schema,
    token: string,
    signal: AbortSignal,
  ) => getJson(url, schema, { authorization: `Bearer ${token}`, 'user-agent': userAgent }, signal);
  return {
    async person(token, signal) {
      const user = await get(endpoints.user, DiscordUser, token, signal);
      const [name = user.id] = [user.global_name, user.username]
        .map((text) => safeName(text, MAX_PERSON_NAME_LENGTH))
        .filter((text) => text !== '');
      return { userId: user.id, name };
    },
    async adminGuilds(token, signal) {
      const guilds = await get(endpoints.guilds, Type.Array(DiscordGuild), token, signal);
      return guilds
        .filter(isAdministered)
        .map(({ id, name }) => ({ guildId: id, name: safeName(name, MAX_GUILD_NAME_LENGTH) || id }));
    },
  };
}

function isAdministered({ owner, permissions }: Type.Static<typeof DiscordGuild>): boolean {
  return owner === true || (BigInt(permissions) & ADMINISTRATOR) !== 0n;
}

function safeName(text: string | null | undefined, maxLength: number): string {
  const name = (text ?? '').toWellFormed().replace(UNSAFE_IN_NAMES, ' ').trim();
  return Array.from(name).slice(0, maxLength).join('');
}

async function getJson<const Schema extends Type.TSchema>(
  url: URL,
  schema: Schema,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Type.Static<Schema>> {
  // A redirect would carry the token to whoever it names.
  const response = await fetch(url, { headers, signal, redirect: 'error' });
  if (response.status === TOKEN_REFUSED_STATUS) throw new TokenRefused(`${url.pathname} refused the token`);
  if (!response.ok) throw new Error(`${url.pathname} answered with status ${response.status}`);
  const body: unknown = await response.json();
  if (!Value.Check(schema, body)) throw new Error(`${url.pathname} answered something unexpected`);
  return body;
}
