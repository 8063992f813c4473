import { hash } from 'node:crypto';
import type { TestResult } from '../../../store/webhook-admin.ts';
import type { WebhookEndpoint } from '../../../store/webhook-store.ts';
import type { DashboardDeps } from '../deps.ts';

export type SecretState =
  | { kind: 'masked'; lastFour: string }
  | { kind: 'shown'; secret: string }
  /** It was sealed under a master secret that is not the present one: nothing can be signed with it. */
  | { kind: 'sealed-away' };

/** All that the page shows of one endpoint. */
export type EndpointCard = {
  endpoint: WebhookEndpoint;
  secret: SecretState;
  test: TestResult | undefined;
};

/** What one action brought to light, to be shown in the card of its endpoint. */
export type Disclosure = { endpointId: string; secret?: string; test?: TestResult };

export async function readCards(
  { webhooks }: DashboardDeps,
  guildId: string,
  disclosed: Disclosure | undefined,
): Promise<EndpointCard[]> {
  const endpoints = await webhooks.listEndpoints(guildId);
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const { endpointId } = endpoint;
      const own = disclosed?.endpointId === endpointId ? disclosed : undefined;
      const shown = own?.secret;
      const secret: SecretState =
        shown === undefined
          ? await maskedSecret(webhooks, guildId, endpointId)
          : { kind: 'shown', secret: shown };
      return { endpoint, secret, test: own?.test };
    }),
  );
}

async function maskedSecret(
  webhooks: DashboardDeps['webhooks'],
  guildId: string,
  endpointId: string,
): Promise<SecretState> {
  const revealed = await webhooks.revealSecret(guildId, endpointId);
  return revealed.shown ? { kind: 'masked', lastFour: revealed.secret.slice(-4) } : { kind: 'sealed-away' };
}

/**
 * Names one secret without telling anything of it. The form says which secret it means to replace: a second click
 * would end the one before it at once, although a receiver was promised a day.
 */
export function secretVersion({ secrets }: WebhookEndpoint): string {
  return hash('sha256', secrets.current, 'hex').slice(0, 16);
}
