import { createEndpointStore } from '../../../../src/store/webhooks/endpoints.ts';
import { createWebhookHistory } from '../../../../src/store/webhooks/history.ts';
import type { ExpectedPlans } from '../statements.ts';

export const WEBHOOK_PLANS: ExpectedPlans = [
  [
    createEndpointStore,
    {
      'add 1': ['guilds pkey guild_id'],
      'add 2': {
        sqlite: ['guilds pkey guild_id', 'webhook_endpoints pkey guild_id'],
        postgres: ['guilds pkey guild_id (index only)', 'webhook_endpoints pkey guild_id (index only)'],
      },
      list: ['sort', 'webhook_endpoints pkey guild_id'],
      find: ['webhook_endpoints pkey guild_id,endpoint_id'],
      remove: ['webhook_endpoints pkey guild_id,endpoint_id'],
      update: ['webhook_endpoints pkey guild_id,endpoint_id'],
      setSecrets: ['webhook_endpoints pkey guild_id,endpoint_id'],
      pause: ['webhook_endpoints pkey guild_id,endpoint_id'],
      resume: ['webhook_endpoints pkey guild_id,endpoint_id'],
      enable: ['webhook_endpoints pkey guild_id,endpoint_id'],
      disable: ['webhook_endpoints pkey guild_id,endpoint_id'],
      dropPending: {
        sqlite: [
          'd webhook_deliveries_due guild_id,endpoint_id (index only)',
          'v pkey guild_id,event_id',
          'webhook_attempts pkey guild_id,event_id,endpoint_id',
          'webhook_deliveries pkey guild_id,event_id,endpoint_id',
        ],
        postgres: [
          'd webhook_deliveries_due guild_id,endpoint_id (index only)',
          'v pkey guild_id',
          'webhook_deliveries pkey guild_id,event_id,endpoint_id',
        ],
      },
    },
  ],
  [
    createWebhookHistory,
    {
      events: ['webhook_events pkey guild_id,event_id'],
      replay: {
        sqlite: [
          'e pkey guild_id',
          'old pkey guild_id,event_id,endpoint_id',
          'v pkey guild_id,event_id',
          'webhook_attempts pkey guild_id,event_id,endpoint_id',
        ],
        postgres: ['e pkey guild_id', 'old pkey guild_id,event_id', 'v pkey guild_id,event_id'],
      },
      deliveries: {
        sqlite: [
          'a pkey guild_id,event_id,endpoint_id,number',
          'd pkey guild_id,event_id',
          'e pkey guild_id,endpoint_id',
          'sort',
          'v pkey guild_id,event_id',
        ],
        postgres: [
          'a pkey guild_id,event_id,endpoint_id,number',
          'd pkey guild_id,event_id',
          'e pkey guild_id',
          'sort',
          'v pkey guild_id',
        ],
      },
      attempts: ['webhook_attempts pkey guild_id,event_id'],
      nextGuild: {
        sqlite: ['webhook_attempts pkey guild_id'],
        postgres: ['webhook_attempts pkey guild_id (index only)'],
      },
      lastKept: {
        sqlite: ['webhook_attempts pkey guild_id'],
        postgres: ['webhook_attempts pkey guild_id (index only)'],
      },
      dropAttempts: ['webhook_attempts pkey guild_id,event_id,endpoint_id,number'],
      prune: {
        sqlite: [
          'g guilds_by_name (index only)',
          'v pkey guild_id,event_id',
          'webhook_deliveries pkey guild_id,event_id',
          'webhook_events pkey guild_id,event_id',
        ],
        postgres: ['g pkey guild_id', 'v pkey event_id', 'webhook_events pkey guild_id,event_id'],
      },
    },
  ],
];
