/**
 * Where the events of an endpoint go. All kinds share queue, log, replay and tests.
 *
 *   https      a POST, signed according to Standard Webhooks
 *   discord    a message in a Discord channel; `url` is its webhook without the token, which is a secret
 *   votifier   a vote for a Minecraft server (Votifier v2); `url` is votifier://host:port, the token is a secret
 */
import type { Locale } from '../locale.ts';
import { isRecord } from '../text.ts';
import type { Templates } from './discord.ts';
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent, TEST_TYPES, type WebhookEventType } from './event.ts';

export const ENDPOINT_KINDS = ['https', 'discord', 'votifier'] as const;

export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

export type Destination =
  | { kind: 'https' }
  | { kind: 'discord'; language: Locale; templates: Templates }
  /** The name that the votes are attributed to on the server. */
  | { kind: 'votifier'; serviceName: string };

/** A Minecraft server takes votes and nothing else. */
export const EVENTS_OF_KIND: Record<EndpointKind, readonly SubscribableEvent[]> = {
  https: SUBSCRIBABLE_EVENTS,
  discord: SUBSCRIBABLE_EVENTS,
  votifier: ['vote_received'],
};

/** The tests that can be sent, the default one first. */
export const TESTS_OF_KIND: Record<EndpointKind, readonly [WebhookEventType, ...WebhookEventType[]]> = {
  https: TEST_TYPES,
  discord: TEST_TYPES,
  votifier: ['vote_received'],
};

export function isEndpointKind(text: unknown): text is EndpointKind {
  return ENDPOINT_KINDS.some((kind) => kind === text);
}

/** The part of a destination that is stored as JSON, beside its kind. */
export function formatOptions({ kind: _, ...options }: Destination): string {
  return JSON.stringify(options);
}

/** Reads what `formatOptions` wrote. */
export function parseDestination(kind: EndpointKind, options: string): Destination {
  const stored: unknown = JSON.parse(options);
  const read = isRecord(stored) ? stored : {};
  switch (kind) {
    case 'https':
      return { kind };
    case 'discord':
      return {
        kind,
        language: read.language === 'fr' ? 'fr' : 'en',
        templates: readTemplates(read.templates),
      };
    case 'votifier':
      return { kind, serviceName: String(read.serviceName ?? '') };
  }
}

function readTemplates(stored: unknown): Templates {
  const templates: Templates = {};
  for (const event of SUBSCRIBABLE_EVENTS) {
    const text = isRecord(stored) ? stored[event] : undefined;
    if (typeof text === 'string') templates[event] = text;
  }
  return templates;
}
