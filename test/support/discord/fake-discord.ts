/**
 * A local server that implements as much of Discord's API as a sign-in needs, and fails on request.
 *
 *   const discord = await startFakeDiscord();
 *   discord.person = { id: '…', username: 'mona', global_name: 'Mona', guilds: [] };
 *   discord.faults.guilds = 'error';
 *   readConfig(discord.env);
 */
import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export type FakeGuild = {
  id: string;
  name: string;
  owner?: boolean;
  permissions: string | number;
  icon?: unknown;
};
export type FakeIcon = { status?: number; type?: string; body: string | Buffer; isSlow?: boolean };
export type FakePerson = {
  id: string;
  username: string;
  global_name: string | null;
  avatar?: unknown;
  guilds: FakeGuild[];
};

/** `down` breaks the connection, `slow` never responds, `refused` rejects tokens, `limited` is a 429. */
export type Fault = 'down' | 'slow' | 'error' | 'refused' | 'limited' | 'nonsense' | 'wrong-shape';
export type Endpoint = 'token' | 'revoke' | 'user' | 'guilds';

export type FakeDiscord = {
  url: string;
  env: Record<string, string>;
  /** The user in front of the browser. */
  person: FakePerson;
  /** The error returned instead of consent; null consents. */
  refusal: string | null;
  faults: Partial<Record<Endpoint, Fault>>;
  /** Images by path: `/icons/<guild_id>/<hash>.png`. */
  icons: Map<string, FakeIcon>;
  /** The paths of images that were requested, with their query. */
  iconRequests: string[];
  /** The number of requests to each endpoint. */
  calls: Record<Endpoint, number>;
  /** Resolves after this many requests in total. */
  untilCalled(endpoint: Endpoint, count: number): Promise<void>;
  /** What a 429 says. */
  limit: { headers: Record<string, string>; body: unknown };
  /** Tokens that were issued, and whose they are. */
  tokens: Map<string, FakePerson>;
  /** What each token was issued for. */
  scopes: Map<string, string>;
  lifetimeSeconds: number;
  close(): Promise<void>;
};

type Reply = { status: number; body?: unknown; location?: string; headers?: Record<string, string> };
type Consent = { challenge: string; redirectUri: string; person: FakePerson; scope: string };

const CLIENT_ID = '400000000000000001';
const CLIENT_SECRET = 'a-client_secret.of~tests';

const INVALID_CLIENT: Reply = { status: 401, body: { error: 'invalid_client' } };
const UNAUTHORIZED: Reply = { status: 401, body: { message: '401: Unauthorized', code: 0 } };
const FAULTY: Record<Exclude<Fault, 'down' | 'slow' | 'limited'>, Reply> = {
  error: { status: 500, body: { message: '500: Internal Server Error', code: 0 } },
  refused: UNAUTHORIZED,
  nonsense: { status: 200, body: '<!doctype html><h1>Hello' },
  'wrong-shape': { status: 200, body: { id: 7, access_token: 8, name: [] } },
};

export async function startFakeDiscord(): Promise<FakeDiscord> {
  const consents = new Map<string, Consent>();
  const asked = new EventEmitter();
  const server = createServer((request, response) => {
    void answer(discord, consents, request, response).then(() => asked.emit('asked'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  const url = `http://127.0.0.1:${address.port}`;
  const discord: FakeDiscord = {
    url,
    env: {
      VOTARY_DISCORD_CLIENT_ID: CLIENT_ID,
      VOTARY_DISCORD_CLIENT_SECRET: CLIENT_SECRET,
      VOTARY_DISCORD_API: url,
    },
    person: { id: '200000000000000500', username: 'mona_1', global_name: 'Mona', guilds: [] },
    refusal: null,
    faults: {},
    icons: new Map(),
    iconRequests: [],
    calls: { token: 0, revoke: 0, user: 0, guilds: 0 },
    untilCalled: async (endpoint, count) => {
      while (discord.calls[endpoint] < count) await once(asked, 'asked');
    },
    limit: {
      headers: {},
      body: { message: 'You are being rate limited.', retry_after: 64.57, global: false },
    },
    tokens: new Map(),
    scopes: new Map(),
    lifetimeSeconds: 604_800,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return discord;
}

async function answer(
  discord: FakeDiscord,
  consents: Map<string, Consent>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, search, searchParams } = new URL(request.url ?? '/', discord.url);
  if (pathname.startsWith('/icons/')) return sendIcon(discord, pathname, search, response);
  const form = new URLSearchParams(await text(request));
  const bearer = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const person = discord.tokens.get(bearer);
  const coversGuilds = discord.scopes.get(bearer)?.includes('guilds');
  switch (`${request.method} ${pathname}`) {
    case 'GET /oauth2/authorize':
      send(response, authorize(discord, consents, searchParams));
      break;
    case 'POST /oauth2/token':
      sendUnlessFaulty(discord, 'token', response, () => token(discord, consents, form));
      break;
    case 'POST /oauth2/token/revoke':
      sendUnlessFaulty(discord, 'revoke', response, () => revoke(discord, form));
      break;
    case 'GET /users/@me':
      sendUnlessFaulty(discord, 'user', response, () => (person ? user(person) : UNAUTHORIZED));
      break;
    case 'GET /users/@me/guilds':
      sendUnlessFaulty(discord, 'guilds', response, () =>
        person && coversGuilds ? { status: 200, body: person.guilds } : UNAUTHORIZED,
      );
      break;
    default:
      send(response, { status: 404, body: { message: '404: Not Found', code: 0 } });
  }
}

function sendIcon(discord: FakeDiscord, path: string, search: string, response: ServerResponse): void {
  discord.iconRequests.push(path + search);
  const icon = discord.icons.get(path) ?? { status: 404, body: '' };
  const { status = 200, type = 'image/png', body, isSlow = false } = icon;
  if (isSlow) return;
  const location = status === 302 ? { location: String(body) } : {};
  response.writeHead(status, { 'content-type': type, ...location }).end(body);
}

function authorize(discord: FakeDiscord, consents: Map<string, Consent>, query: URLSearchParams): Reply {
  const redirectUri = query.get('redirect_uri') ?? '';
  const scope = query.get('scope') ?? '';
  const isRight =
    query.get('client_id') === CLIENT_ID &&
    query.get('response_type') === 'code' &&
    ['identify', 'identify guilds'].includes(scope) &&
    query.get('code_challenge_method') === 'S256' &&
    URL.canParse(redirectUri);
  if (!isRight) return { status: 400, body: { error: 'invalid_request' } };
  const back = new URL(redirectUri);
  if (discord.refusal === null) {
    const code = randomUUID();
    const challenge = query.get('code_challenge') ?? '';
    consents.set(code, { challenge, redirectUri, person: discord.person, scope });
    back.searchParams.set('code', code);
  } else {
    back.searchParams.set('error', discord.refusal);
    back.searchParams.set(
      'error_description',
      'The resource owner or authorization server denied the request',
    );
  }
  back.searchParams.set('state', query.get('state') ?? '');
  return { status: 302, location: back.href };
}

function token(discord: FakeDiscord, consents: Map<string, Consent>, form: URLSearchParams): Reply {
  if (!isOurApplication(form)) return INVALID_CLIENT;
  const code = form.get('code') ?? '';
  const consent = consents.get(code);
  consents.delete(code);
  const isRight =
    form.get('grant_type') === 'authorization_code' &&
    consent?.redirectUri === form.get('redirect_uri') &&
    consent.challenge === hash('sha256', form.get('code_verifier') ?? '', 'base64url');
  if (!isRight) {
    return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid "code" in request.' } };
  }
  const accessToken = randomUUID();
  discord.tokens.set(accessToken, consent.person);
  discord.scopes.set(accessToken, consent.scope);
  return {
    status: 200,
    body: {
      token_type: 'Bearer',
      access_token: accessToken,
      expires_in: discord.lifetimeSeconds,
      refresh_token: randomUUID(),
      scope: consent.scope,
    },
  };
}

/** Like Discord: revoking any token ends all tokens of that user for this application. */
function revoke({ tokens }: FakeDiscord, form: URLSearchParams): Reply {
  if (!isOurApplication(form)) return INVALID_CLIENT;
  const person = tokens.get(form.get('token') ?? '');
  for (const [known, { id }] of tokens) if (id === person?.id) tokens.delete(known);
  return { status: 200, body: {} };
}

function isOurApplication(form: URLSearchParams): boolean {
  return form.get('client_id') === CLIENT_ID && form.get('client_secret') === CLIENT_SECRET;
}

function user({ guilds: _guilds, ...body }: FakePerson): Reply {
  return { status: 200, body };
}

function sendUnlessFaulty(
  discord: FakeDiscord,
  endpoint: Endpoint,
  response: ServerResponse,
  reply: () => Reply,
): void {
  discord.calls[endpoint] += 1;
  const fault = discord.faults[endpoint];
  if (fault === 'down') response.destroy();
  else if (fault === 'limited') send(response, { status: 429, ...discord.limit });
  else if (fault !== 'slow') send(response, fault ? FAULTY[fault] : reply());
}

function send(response: ServerResponse, { status, body, location, headers }: Reply): void {
  if (location !== undefined) response.setHeader('location', location);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
