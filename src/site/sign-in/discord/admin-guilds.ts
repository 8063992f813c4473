import { type Clock, MINUTE_MS } from '../../../domain/clock.ts';
import { briefCache } from '../../brief-cache.ts';
import { PageError } from '../../page-error.ts';
import { type AccessToken, accountOf, endSession } from '../../session.ts';
import { SignInRequired } from '../require-person.ts';
import type { AdminGuild, SignIn } from '../sign-in.ts';
import { type DiscordApi, TokenRefused } from './api.ts';

const FRESH_MS = MINUTE_MS;
const MAX_SIGN_INS = 10_000;

export type AdminGuildsOptions = { people: DiscordApi; clock: Clock; timeLimitMs: number };

/** Asks Discord at most once a minute for each sign-in, however many pages want to know. */
export function discordAdminGuilds({
  people,
  clock,
  timeLimitMs,
}: AdminGuildsOptions): SignIn['adminGuilds'] {
  const cache = briefCache<AdminGuild[]>({ clock, maxAgeMs: FRESH_MS, maxEntries: MAX_SIGN_INS });

  const ask = async ({ text, expiresAt }: AccessToken): Promise<AdminGuild[]> => {
    if (clock() >= expiresAt) throw new TokenRefused('the token has run out');
    return cache.get(text, () => people.adminGuilds(text, AbortSignal.timeout(timeLimitMs)));
  };
  return async (request) => {
    const token = accountOf(request)?.token;
    if (!token) throw new SignInRequired();
    try {
      return [...(await ask(token))];
    } catch (cause) {
      if (cause instanceof PageError) throw cause;
      if (!(cause instanceof TokenRefused)) throw new PageError('SIGN_IN_UNAVAILABLE', { cause });
      endSession(request);
      throw new SignInRequired({ cause });
    }
  };
}
