/**
 * The target of hostile requests: a listed community with Premium, votes and webhooks, and the sessions and form
 * tokens of its admins. Without a session, most requests would be rejected before they test anything.
 */
import { generateToken, hashToken, TOKEN_SCOPES } from '../../../src/domain/keys/api-token.ts';
import { type Secrets, seal, webhookSecretContext } from '../../../src/domain/secrets.ts';
import { generateWebhookSecret } from '../../../src/domain/webhooks/delivery.ts';
import { issueKey } from '../../../src/store/guilds/guilds.ts';
import type { Store } from '../../../src/store/store.ts';
import type { FakeDiscord } from '../../../test/support/discord/fake-discord.ts';
import { newUserId, SESSION_TOKEN, type Session, type SessionIssuer } from '../../lib/sessions.ts';
import { GUILD } from '../../lib/site.ts';
import type { HostileOptions } from './hostile.ts';
import { ENDPOINTS, MANAGED_GUILD, NOBODY_LISTENS, SEEDED_USER } from './hostile-paths.ts';

const MAX_ENDPOINTS = 10;
/** Each can vote once an hour. */
const PEOPLE = 100;

/** Always the same, so that a harmful request can be repeated. */
const TOKEN = generateToken(() => 7);

/** Returns the key of the community. Its votes are an hour old, so everyone can vote. */
export async function seed(store: Store, secrets: Secrets, now: number): Promise<string> {
  await store.guilds.add({ guildId: GUILD, name: 'Demo', createdAt: 0 });
  await store.guilds.setPremiumUntil(GUILD, now + 1e9);
  await store.guilds.add({ guildId: MANAGED_GUILD, name: 'Managed', createdAt: 0 });
  await store.tokens.add({
    ...{ tokenId: 'tok_00', hash: hashToken(TOKEN), name: 'Automation', scopes: TOKEN_SCOPES },
    ...{ createdAt: 0, expiresAt: null },
  });
  for (const userId of [SEEDED_USER, newUserId(), newUserId()]) {
    const vote = { guildId: GUILD, userId, castAt: now - 3_700_000, externalId: 'É', isDoubled: false };
    await store.votes.cast(vote);
  }
  for (const endpointId of ENDPOINTS) {
    const context = webhookSecretContext(GUILD, endpointId);
    const current = seal(generateWebhookSecret(), context, secrets.sealKey);
    const endpoint = {
      guildId: GUILD,
      endpointId,
      name: null,
      destination: { kind: 'https' as const },
      url: NOBODY_LISTENS,
      events: ['vote_received' as const],
      secrets: { current, previous: null },
      createdAt: 0,
    };
    await store.webhooks.addEndpoint(endpoint, MAX_ENDPOINTS);
  }
  return (await issueKey(store, secrets, GUILD, 0)) ?? '';
}

/** Users who all administer the community. */
export async function signInAdmins(discord: FakeDiscord, issuer: SessionIssuer): Promise<Session[]> {
  const guilds = [{ id: GUILD, name: 'Demo', owner: true, permissions: '8' }];
  discord.tokens.set(SESSION_TOKEN, { id: newUserId(), username: 'alex', global_name: null, guilds });
  discord.scopes.set(SESSION_TOKEN, 'identify guilds');
  return Promise.all(
    Array.from({ length: PEOPLE }, (_, index) => {
      const userId = newUserId();
      if (!isOperator(index)) return issuer.issue(userId);
      // Discord is asked who an operator is, so these do not share a token.
      const token = `${SESSION_TOKEN}-${userId}`;
      discord.tokens.set(token, { id: userId, username: 'olga', global_name: null, guilds });
      discord.scopes.set(token, 'identify guilds');
      return issuer.issue(userId, token);
    }),
  );
}

/** Half of the admins are operators too, among them the one who warms the pages up. */
function isOperator(index: number): boolean {
  return index % 2 === 0;
}

export function operatorsAmong(sessions: readonly Session[]): string[] {
  return sessions.filter((_, index) => isOperator(index)).map(({ userId }) => userId);
}

/** Most are signed in, most of those have the token of their forms, and most send a key. */
export function withSessions(sessions: readonly Session[], keys: readonly string[]): HostileOptions {
  return {
    token: TOKEN,
    usualHeaders: (n) => {
      const session = sessions[n % sessions.length];
      return [
        'x-forwarded-proto: https',
        'host: localhost',
        `x-forwarded-for: 10.${n & 255}.${(n >> 8) & 255}.${n % 251}`,
        ...(n % 3 === 0 ? ['accept: text/html'] : []),
        ...(n % 7 === 0 ? [] : [`cookie: ${session?.cookie}`]),
        ...(n % 5 === 0 ? [] : [`x-csrf-token: ${session?.csrfToken}`]),
        ...(n % 4 === 0 ? [] : [`authorization: Bearer ${keys[n % keys.length]}`]),
      ];
    },
  };
}
