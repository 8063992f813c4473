/**
 * Consumers: a vote can be claimed once by each, so that a bot and several game servers each reward it once. Requests
 * that name none claim as `default`.
 */

export const DEFAULT_CONSUMER = 'default';

/** How many a guild can have, besides `default`. */
export const MAX_CONSUMERS = 10;

const CONSUMER = /^[a-z0-9-]{1,32}$/;

export const CONSUMER_PATTERN = CONSUMER.source;
export const CONSUMER_MAX_LENGTH = 32;

export function isConsumer(text: string): boolean {
  return CONSUMER.test(text);
}
