import { hash } from 'node:crypto';
import type { DeliveryRecord, WebhookEndpoint } from '../../../store/webhook-store.ts';
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
  /** A test that was just sent to it. */
  test: DeliveryRecord | undefined;
};

/** A secret that somebody asked to see, in the card of its endpoint. */
export type Disclosure = { endpointId: string; secret: string };

export async function readCards(
  { webhooks }: DashboardDeps,
  guildId: string,
  disclosed: Disclosure | undefined,
  tested: DeliveryRecord | undefined,
): Promise<EndpointCard[]> {
  const endpoints = await webhooks.listEndpoints(guildId);
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const { endpointId } = endpoint;
      const secret: SecretState =
        disclosed?.endpointId === endpointId
          ? { kind: 'shown', secret: disclosed.secret }
          : await maskedSecret(webhooks, guildId, endpointId);
      return { endpoint, secret, test: tested?.endpointId === endpointId ? tested : undefined };
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
