/**
 * Requests of the management API.
 *
 *   const manage = await openManage(await open());
 *   const { status, body } = await manage.post('/guilds', { guild_id, name });
 */
import type { TokenScope } from '../../../src/domain/keys/api-token.ts';
import { TOKEN_SCOPES } from '../../../src/domain/keys/api-token.ts';
import { createToken } from '../../../src/moderation/tokens.ts';
import type { Answer, Api } from '../../support/api.ts';

type Options = { token?: string | null; headers?: Record<string, string> };

export type Manage = {
  api: Api;
  token: string;
  tokenId: string;
  get(path: string, options?: Options): Promise<Answer>;
  post(path: string, body?: unknown, options?: Options): Promise<Answer>;
  patch(path: string, body?: unknown, options?: Options): Promise<Answer>;
  remove(path: string, options?: Options): Promise<Answer>;
};

export const TOKEN_NAME = 'Listing site';

export async function newToken(
  { store, clock }: Pick<Api, 'store' | 'clock'>,
  scopes: readonly TokenScope[] = TOKEN_SCOPES,
  expiresAt: number | null = null,
): Promise<{ token: string; tokenId: string }> {
  const moderator = { store, clock, actor: null };
  const outcome = await createToken(moderator, { name: TOKEN_NAME, scopes, expiresAt });
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return outcome;
}

export async function openManage(api: Api, scopes?: readonly TokenScope[]): Promise<Manage> {
  const own = await newToken(api, scopes);
  const send = (method: string, path: string, { token = own.token, headers = {} }: Options, body?: unknown) =>
    api.send(method, `/manage/v1${path}`, {
      key: token,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return {
    api,
    ...own,
    get: (path, options = {}) => send('GET', path, options),
    post: (path, body, options = {}) => send('POST', path, options, body),
    patch: (path, body, options = {}) => send('PATCH', path, options, body),
    remove: (path, options = {}) => send('DELETE', path, options),
  };
}

let made = 0;

/** The id of a guild that does not exist yet. */
export function unusedId(): string {
  made += 1;
  return String(400000000000000000n + BigInt(process.pid) * 100000n + BigInt(made));
}

/** What the token of these requests did, oldest first. */
export async function loggedBy({ api, tokenId }: Manage): Promise<string[]> {
  const entries = await api.store.audit.recent(null, 200);
  return entries
    .filter(
      ({ actor }) => actor && 'tokenId' in actor && actor.tokenId === tokenId && actor.name === TOKEN_NAME,
    )
    .map(({ action }) => action)
    .toReversed();
}
