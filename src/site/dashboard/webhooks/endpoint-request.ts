import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstText } from '../../../domain/first-text.ts';
import type { WebhookEndpoint } from '../../../store/webhook-store.ts';
import { SEE_OTHER_STATUS } from '../../page-error.ts';
import type { DashboardDeps } from '../deps.ts';
import type { Notice } from '../notices.ts';
import { tabAddress } from './addresses.ts';

const ENDPOINT_ID = /^ep_[0-9a-f]{16}$/;

/** The database is never asked for what cannot be an id: an empty text finds no endpoint. */
export function endpointIdOf(request: FastifyRequest): string {
  return readEndpointId(firstText(request.params, 'endpoint_id')) ?? '';
}

export function readEndpointId(text: string | undefined): string | undefined {
  return text !== undefined && ENDPOINT_ID.test(text) ? text : undefined;
}

export async function findEndpoint(
  request: FastifyRequest,
  { webhooks }: DashboardDeps,
  guildId: string,
): Promise<WebhookEndpoint | undefined> {
  const endpointId = endpointIdOf(request);
  return (await webhooks.listEndpoints(guildId)).find((endpoint) => endpoint.endpointId === endpointId);
}

/** Back to the tab, which says what was done, or to the card of one endpoint in it. */
export function leave(
  reply: FastifyReply,
  guildId: string,
  done: Notice,
  endpointId: string | null = null,
): FastifyReply {
  const anchor = endpointId === null ? '' : `#${endpointId}`;
  return reply.redirect(`${tabAddress(guildId)}?done=${done}${anchor}`, SEE_OTHER_STATUS);
}
