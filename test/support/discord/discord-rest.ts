/**
 * The part of Discord's REST API that the app uses, with Discord's limits on lengths, components and nonces.
 *
 *   const { status, body } = await answerRest(state, 'POST /users/@me/channels', sent, true);
 */
import { isRecord } from '../../../src/domain/record.ts';

export type Json = Readonly<Record<string, unknown>>;
export type Reply = { status: number; body?: unknown; headers?: Record<string, string> };

/** A message that arrived. */
export type Received = { userId: string; nonce: string; content: string; customIds: string[]; body: Json };

/** `lost`: it is done, but the connection breaks before the response. `limited`: 429. */
export type Fault = 'lost' | 'down' | 'error' | 'limited' | 'forbidden-by-proxy';

/** A server, with the roles of its members. */
export type FakeServer = {
  members: Map<string, Set<string>>;
  roles: Set<string>;
  /** Whether the app has "Manage Roles", and a role of its own above the others. */
  canManageRoles: boolean;
  /** Roles above that of the app. */
  higherRoles: Set<string>;
  /** Requests for roles that are allowed in each window. */
  limit: { requests: number; windowMs: number };
  window: { startedAt: number; requests: number };
};

export function fakeServer(roleId: string, members: readonly string[]): FakeServer {
  return {
    members: new Map(members.map((userId) => [userId, new Set<string>()])),
    roles: new Set([roleId]),
    canManageRoles: true,
    higherRoles: new Set(),
    limit: { requests: 1000, windowMs: 10_000 },
    window: { startedAt: 0, requests: 0 },
  };
}

/** The state of Discord. */
export type DiscordState = {
  /** The servers that the app is in, by id. */
  servers: Map<string, FakeServer>;
  applicationId: string;
  publicKey: string;
  /** Of the nonce window. */
  now: () => number;
  messages: Received[];
  /** Deferred responses that were edited, by interaction token. */
  edits: Map<string, Json>;
  /** All requests, as `METHOD /path`. */
  requests: string[];
  /** Users who do not accept direct messages. */
  closed: Set<string>;
  /** Decides about a request before it is handled. */
  fault: (request: string) => Fault | undefined;
  retryAfterSeconds: number;
  isGlobalLimit: boolean;
  commands: Json[];
  endpointUrl: string | null;
  /** Whether the endpoint passes Discord's check when it is registered. */
  verifyEndpoint: (url: string) => Promise<boolean>;
};

const NONCE_WINDOW_MS = 5 * 60_000;
export const BOT_TOKEN = 'NDAwMDAwMDAwMDAwMDAwMDAx.GtEsTs.a-bot-token_for-tests';
export const APPLICATION_ID = '400000000000000001';

const UNAUTHORIZED: Reply = { status: 401, body: { message: '401: Unauthorized', code: 0 } };
const CLOSED: Reply = { status: 403, body: { message: 'Cannot send messages to this user', code: 50007 } };
const NOT_FOUND: Reply = { status: 404, body: { message: '404: Not Found', code: 0 } };
const invalid = (message: string): Reply => ({ status: 400, body: { message, code: 50035 } });

export function faulty(discord: DiscordState, fault: Exclude<Fault, 'down' | 'lost'>): Reply {
  if (fault === 'error') return { status: 500, body: { message: '500: Internal Server Error', code: 0 } };
  if (fault === 'forbidden-by-proxy') return { status: 403, body: { error: 'blocked' } };
  const seconds = discord.retryAfterSeconds;
  return {
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: seconds, global: discord.isGlobalLimit },
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-scope': discord.isGlobalLimit ? 'global' : 'user',
      ...(discord.isGlobalLimit ? { 'x-ratelimit-global': 'true' } : {}),
    },
  };
}

export async function answerRest(
  discord: DiscordState,
  name: string,
  sent: unknown,
  isSigned: boolean,
): Promise<Reply> {
  const body: Json = isRecord(sent) ? sent : {};
  const edited = /^PATCH \/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/.exec(name);
  if (edited?.[2]) {
    if (edited[1] !== discord.applicationId) return NOT_FOUND;
    discord.edits.set(edited[2], body);
    return { status: 200, body: { id: '1' } };
  }
  if (!isSigned) return UNAUTHORIZED;
  const role = /^(PUT|DELETE) \/guilds\/(\d+)\/members\/(\d+)\/roles\/(\d+)$/.exec(name);
  if (role) return changeRole(discord, role);
  const channel = /^(POST|GET) \/channels\/(\d+)\/messages$/.exec(name);
  if (channel?.[1] === 'POST') return receive(discord, channel[2] ?? '', body);
  if (channel) return { status: 200, body: history(discord, channel[2] ?? '') };
  const application = `/applications/${discord.applicationId}/commands`;
  switch (name) {
    case 'POST /users/@me/channels':
      return { status: 200, body: { id: channelOf(String(body.recipient_id)), type: 1 } };
    case 'GET /applications/@me':
      return { status: 200, body: applicationOf(discord) };
    case 'PATCH /applications/@me':
      return setEndpoint(discord, String(body.interactions_endpoint_url));
    case `GET ${application}`:
      return { status: 200, body: discord.commands };
    case `PUT ${application}`:
      return setCommands(discord, sent);
    default:
      return NOT_FOUND;
  }
}

const MISSING_ACCESS: Reply = { status: 403, body: { message: 'Missing Access', code: 50001 } };
const MISSING_PERMISSIONS: Reply = { status: 403, body: { message: 'Missing Permissions', code: 50013 } };
const UNKNOWN_MEMBER: Reply = { status: 404, body: { message: 'Unknown Member', code: 10007 } };
const UNKNOWN_ROLE: Reply = { status: 404, body: { message: 'Unknown Role', code: 10011 } };

/** Like Discord, all members and roles of a server share a limit. */
function changeRole(
  { servers, now }: DiscordState,
  [, method, guildId = '', userId = '', roleId = '']: string[],
): Reply {
  const server = servers.get(guildId);
  if (!server) return MISSING_ACCESS;
  const { limit, window } = server;
  if (now() >= window.startedAt + limit.windowMs) Object.assign(window, { startedAt: now(), requests: 0 });
  const resetSeconds = (window.startedAt + limit.windowMs - now()) / 1000;
  window.requests += 1;
  const remaining = limit.requests - window.requests;
  const headers = {
    'x-ratelimit-remaining': String(Math.max(0, remaining)),
    'x-ratelimit-reset-after': String(resetSeconds),
  };
  if (remaining < 0) {
    const body = { message: 'You are being rate limited.', retry_after: resetSeconds, global: false };
    return { status: 429, body, headers: { ...headers, 'x-ratelimit-scope': 'user' } };
  }
  if (!server.canManageRoles || server.higherRoles.has(roleId)) return { ...MISSING_PERMISSIONS, headers };
  if (!server.roles.has(roleId)) return { ...UNKNOWN_ROLE, headers };
  const member = server.members.get(userId);
  if (!member) return { ...UNKNOWN_MEMBER, headers };
  if (method === 'PUT') member.add(roleId);
  else member.delete(roleId);
  return { status: 204, headers };
}

/** Every user has one channel; its id is that of the user with another first digit. */
const channelOf = (userId: string) => `9${userId.slice(1)}`;

function receive(discord: DiscordState, channelId: string, body: Json): Reply {
  const known = discord.messages.find(({ userId }) => channelOf(userId) === channelId);
  const userId = known?.userId ?? `2${channelId.slice(1)}`;
  if (discord.closed.has(userId)) return CLOSED;
  const { content = '', nonce = '', enforce_nonce: isEnforced, allowed_mentions: mentions } = body;
  const buttons = buttonsOf(body);
  if (typeof content !== 'string' || content === '' || content.length > 2000) return invalid('content');
  if (typeof nonce !== 'string' || nonce.length > 25) return invalid('nonce');
  if (!isRecord(mentions) || !Array.isArray(mentions.parse)) return invalid('allowed_mentions');
  if (buttons.length > 5 || !buttons.every(isValidButton)) return invalid('components');
  const isRepeated = discord.messages.some(
    (message) =>
      message.userId === userId &&
      message.nonce === nonce &&
      Number(message.body.at) > discord.now() - NONCE_WINDOW_MS,
  );
  if (isEnforced === true && isRepeated) return { status: 200, body: { id: '1', nonce } };
  const customIds = buttons.flatMap(({ custom_id: id }) => (typeof id === 'string' ? [id] : []));
  discord.messages.push({ userId, nonce, content, customIds, body: { ...body, at: discord.now() } });
  return { status: 200, body: { id: '1', nonce } };
}

/** Without the nonce, which Discord does not store. */
function history({ messages }: DiscordState, channelId: string): unknown[] {
  return messages
    .filter(({ userId }) => channelOf(userId) === channelId)
    .toReversed()
    .slice(0, 50)
    .map(({ content, body }) => ({ content, components: body.components }));
}

export function buttonsOf({ components }: Json): Json[] {
  const rows: unknown[] = Array.isArray(components) ? components : [];
  return rows.flatMap((row) => (isRecord(row) && Array.isArray(row.components) ? row.components : []));
}

export function isValidButton({ type, style, label, custom_id: id, url }: Json): boolean {
  const hasTarget =
    style === 5 ? typeof url === 'string' && URL.canParse(url) && id === undefined : isText(id, 100);
  return type === 2 && isText(label, 80) && hasTarget;
}

function isText(value: unknown, maxLength: number): boolean {
  return typeof value === 'string' && value.length >= 1 && value.length <= maxLength;
}

const COMMAND_NAME = /^[-_'\p{Ll}\p{Lo}\p{N}]{1,32}$/u;

function setCommands(discord: DiscordState, sent: unknown): Reply {
  if (!Array.isArray(sent)) return invalid('commands');
  const all = sent.flatMap((command) => [command, ...(command.options ?? [])]);
  for (const command of all) {
    for (const name of [command.name, ...Object.values(command.name_localizations)])
      if (!COMMAND_NAME.test(String(name))) return invalid('name');
    for (const text of [command.description, ...Object.values(command.description_localizations)])
      if (!isText(text, 100)) return invalid('description');
  }
  discord.commands = sent;
  return { status: 200, body: sent };
}

async function setEndpoint(discord: DiscordState, url: string): Promise<Reply> {
  if (!(await discord.verifyEndpoint(url)))
    return invalid('The specified interactions endpoint url could not be verified.');
  discord.endpointUrl = url;
  return { status: 200, body: applicationOf(discord) };
}

function applicationOf({ applicationId, publicKey, endpointUrl }: DiscordState): Json {
  return { id: applicationId, name: 'Votes', verify_key: publicKey, interactions_endpoint_url: endpointUrl };
}
