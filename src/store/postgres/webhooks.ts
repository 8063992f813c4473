import type { WebhookStore } from '../webhook-store.ts';
import type { Connections } from './connection.ts';
import { createEndpointStore } from './webhook-endpoints.ts';
import { createWebhookHistory } from './webhook-history.ts';
import { createWebhookQueue } from './webhook-queue.ts';

export function createWebhookStore(database: Connections): WebhookStore {
  return {
    ...createEndpointStore(database),
    ...createWebhookQueue(database),
    ...createWebhookHistory(database),
  };
}
