import type { WebhookEndpoint } from '../../../store/webhooks/store.ts';
import { tabAddress as addressOf } from '../frame.ts';

export type EndpointAction = 'reveal' | 'test' | 'enable' | 'pause' | 'resume' | 'edit' | 'rotate' | 'remove';

export function tabAddress(guildId: string): string {
  return addressOf(guildId, 'webhooks');
}

export function endpointAddress(
  { guildId, endpointId }: { guildId: string; endpointId: string },
  action: EndpointAction,
): string {
  return `${tabAddress(guildId)}/${endpointId}/${action}`;
}

/** Whether its events do not arrive, although nobody paused it. */
export function isFailing({ disabled, failingSince, pausedAt }: WebhookEndpoint): boolean {
  return disabled !== null || (failingSince !== null && pausedAt === null);
}
