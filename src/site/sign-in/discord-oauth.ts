/**
 * Discord's OAuth2: code flow with PKCE and state, implemented with oauth4webapi.
 * https://docs.discord.com/developers/topics/oauth2
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import * as oauth from 'oauth4webapi';
import { type Instant, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import { PageError } from '../errors/page-error.ts';
import { ownPath } from '../paths.ts';
import type { DiscordEndpoints, DiscordPause } from './discord-api.ts';

/** The secrets of an attempt, known only to the browser that started it. */
type Attempt = { state: string; verifier: string };
type Grant = { accessToken: string; lifetimeMs: number | undefined };

export type DiscordOAuth = {
  begin(redirectUri: string, scopes: string): Promise<{ address: string; attempt: Attempt }>;
  /** Validates the callback. Throws an error page unless the user consented. */
  readAnswer(answer: URLSearchParams, attempt: Attempt): URLSearchParams;
  redeem(answer: URLSearchParams, attempt: Attempt, redirectUri: string, signal: AbortSignal): Promise<Grant>;
  /** Revokes a token at Discord, and with it all tokens of this person for this application. */
  revoke(accessToken: string, signal: AbortSignal): Promise<void>;
};

type DiscordApp = {
  clientId: string;
  clientSecret: string;
  endpoints: DiscordEndpoints;
  userAgent: string;
  pause: DiscordPause;
};

/** Voters only share their identity. The dashboard and members-only communities need the rest. */
export const VOTER_SCOPES = 'identify';
export const GUILDS_SCOPES = 'identify guilds';

/** Eight times the current length of Discord's tokens. Longer ones would not fit into the session cookie. */
const MAX_TOKEN_LENGTH = 256;

export function discordOAuth(app: DiscordApp): DiscordOAuth {
  const { clientId, clientSecret, endpoints, userAgent, pause } = app;
  const server: oauth.AuthorizationServer = {
    issuer: endpoints.authorize.origin,
    authorization_endpoint: endpoints.authorize.href,
    token_endpoint: endpoints.token.href,
    revocation_endpoint: endpoints.revoke.href,
  };
  const client: oauth.Client = { client_id: clientId };
  // Discord supports both ways to send the secret; this one has no escaping ambiguities.
  const authentication = oauth.ClientSecretPost(clientSecret);
  const optionsFor = (signal: AbortSignal) => ({
    signal,
    headers: { 'user-agent': userAgent },
    // The configuration allows http:// on this machine only.
    [oauth.allowInsecureRequests]: endpoints.token.protocol === 'http:',
  });
  return {
    begin: (redirectUri, scopes) => begin(endpoints.authorize, clientId, redirectUri, scopes),
    readAnswer: (answer, { state }) => readAnswer(server, client, answer, state),
    async redeem(answer, { verifier }, redirectUri, signal) {
      pause.check();
      try {
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          answer,
          redirectUri,
          verifier,
          optionsFor(signal),
        );
        await pause.apply(response);
        return readGrant(await oauth.processAuthorizationCodeResponse(server, client, response));
      } catch (error) {
        throw refusedRedemption(error);
      }
    },
    async revoke(accessToken, signal) {
      pause.check();
      const options = optionsFor(signal);
      const response = await oauth.revocationRequest(server, client, authentication, accessToken, options);
      await pause.apply(response);
      await oauth.processRevocationResponse(response);
    },
  };
}

async function begin(
  authorize: URL,
  clientId: string,
  redirectUri: string,
  scope: string,
): ReturnType<DiscordOAuth['begin']> {
  const attempt = { state: oauth.generateRandomState(), verifier: oauth.generateRandomCodeVerifier() };
  const address = new URL(authorize);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    scope,
    redirect_uri: redirectUri,
    state: attempt.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  }).toString();
  return { address: address.href, attempt };
}

function readAnswer(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  answer: URLSearchParams,
  state: string,
): URLSearchParams {
  // The issuer distinguishes several servers. There is only one here, whose issuer depends on its URL.
  const parameters = new URLSearchParams(answer);
  parameters.delete('iss');
  try {
    const read = oauth.validateAuthResponse(server, client, parameters, state);
    if (read.get('code')) return read;
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw new PageError('SIGN_IN_STALE');
    if (error.error === 'access_denied') throw new PageError('SIGN_IN_DENIED');
    throw new PageError('SIGN_IN_UNAVAILABLE', { cause: new Error(`Discord answered ${error.error}`) });
  }
  throw new PageError('SIGN_IN_STALE');
}

function readGrant({ access_token, token_type, expires_in }: oauth.TokenEndpointResponse): Grant {
  if (token_type !== 'bearer' || access_token.length > MAX_TOKEN_LENGTH) {
    throw new Error('Discord issued a token of an unknown kind');
  }
  return {
    accessToken: access_token,
    lifetimeMs: expires_in === undefined ? undefined : expires_in * SECOND_MS,
  };
}

/** A used or expired code can be retried by the user; other errors are between Discord and this site. */
function refusedRedemption(error: unknown): PageError {
  if (error instanceof PageError) return error;
  if (!(error instanceof oauth.ResponseBodyError))
    return new PageError('SIGN_IN_UNAVAILABLE', { cause: error });
  if (error.error === 'invalid_grant') return new PageError('SIGN_IN_STALE');
  const words = `Discord answered ${error.error}: ${error.error_description ?? 'no reason given'}`;
  return new PageError('SIGN_IN_UNAVAILABLE', { cause: new Error(words) });
}

/** The limit of the session cookie. A vote link with the longest external id in the widest letters needs 1400. */
const MAX_PACKED_LENGTH = 1500;

/** Compresses the path for the cookie; `undefined` if it is too long. Escapes (`%F0%9F…`) shrink to a third. */
export function packPath(path: string): string | undefined {
  const packed = deflateRawSync(path).toString('base64url');
  return packed.length <= MAX_PACKED_LENGTH ? packed : undefined;
}

export function unpackPath(packed: string): string {
  return ownPath(inflateRawSync(Buffer.from(packed, 'base64url')).toString());
}

/**
 * Sign-ins in progress in one browser. Several tabs can each start one, and any can be completed: the state in the
 * response identifies the attempt, and each returns to the page it started on.
 */

/** `back` is the page it started on, compressed. */
type Begun = Attempt & { startedAt: Instant; coversGuilds: boolean; back?: string | undefined };

declare module '@fastify/secure-session' {
  interface SessionData {
    /** Newest first. */
    attempts: Begun[];
    /** The target of a failed sign-in, for the next attempt. */
    back: string;
  }
}

const ATTEMPT_MS = 15 * MINUTE_MS;
const MAX_ATTEMPTS = 3;

/** A retry from the error page still leads to the original target. */
export function keepAttempt({ session }: FastifyRequest, begun: Begun): void {
  const earlier = session.get('attempts') ?? [];
  const back = begun.back ?? session.get('back') ?? earlier[0]?.back;
  session.set('back', undefined);
  session.set('attempts', fitting([{ ...begun, back }, ...earlier.slice(0, MAX_ATTEMPTS - 1)]));
}

/** An attempt can be used once. Its target stays in `back` until the sign-in succeeds. */
export function takeAttempt(
  { session }: FastifyRequest,
  state: string | null,
  now: Instant,
): Begun | undefined {
  const attempts = session.get('attempts') ?? [];
  const attempt = attempts.find((known) => known.state === state);
  if (!attempt) return undefined;
  session.set(
    'attempts',
    fitting(
      attempts.filter((known) => known !== attempt),
      attempt.back,
    ),
  );
  session.set('back', attempt.back);
  return now < attempt.startedAt + ATTEMPT_MS ? attempt : undefined;
}

/** The cookie has room for one long path; older attempts lead to the home page instead. */
function fitting(attempts: readonly Begun[], kept = ''): Begun[] {
  let room = MAX_PACKED_LENGTH - kept.length;
  return attempts.map(({ back, ...attempt }) => {
    if (back === undefined || back.length > room) return attempt;
    room -= back.length;
    return { ...attempt, back };
  });
}
