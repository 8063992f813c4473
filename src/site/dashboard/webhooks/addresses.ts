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
