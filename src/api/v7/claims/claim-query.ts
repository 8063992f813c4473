/** What requests about claims have in common: whose votes, and how far back. */
import type { AdmittedGuild } from '../../../domain/guild.ts';
import { CONSUMER_MAX_LENGTH, CONSUMER_PATTERN, DEFAULT_CONSUMER } from '../../../domain/votes/consumers.ts';
import {
  type ClaimIdentity,
  claimWindow,
  DEFAULT_WITHIN_HOURS,
  MAX_WITHIN_HOURS,
} from '../../../domain/votes/vote.ts';
import type { ClaimQuery } from '../../../store/claims/claims.ts';
import { type Operation, WITH_IDENTIFIER } from '../../openapi/operation.ts';

export const WithinHours = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_WITHIN_HOURS,
  description: `How many hours back to look for votes. Default: ${DEFAULT_WITHIN_HOURS}.`,
} as const;

export const DefaultedWithinHours = { ...WithinHours, default: DEFAULT_WITHIN_HOURS } as const;

export const Consumer = {
  type: 'string',
  pattern: CONSUMER_PATTERN,
  description:
    'Who claims, for example `bot` or `survival`: each consumer can claim a vote once. ' +
    `Lower-case letters, digits and hyphens, up to ${CONSUMER_MAX_LENGTH}. Default: \`${DEFAULT_CONSUMER}\`. ` +
    `A program that gets another name, also instead of \`${DEFAULT_CONSUMER}\`, can claim votes again that it has claimed within \`within_hours\`.`,
} as const;

export const DefaultedConsumer = { ...Consumer, default: DEFAULT_CONSUMER } as const;

/** In responses. */
export const ConsumerName = { type: 'string', description: 'The consumer of the request.' } as const;

export const claimOperation = {
  tag: 'Claims',
  needsKey: true,
  codes: WITH_IDENTIFIER,
  fault: { field: 'within_hours', rule: 'max', bound: MAX_WITHIN_HOURS },
} satisfies Partial<Operation>;

type ClaimScope = { withinHours: number; consumer: string };

export function claimQuery(
  { guildId, oneRewardPerName, playerNames }: AdmittedGuild,
  identity: ClaimIdentity,
  now: number,
  { withinHours, consumer }: ClaimScope,
): ClaimQuery {
  return {
    guildId,
    consumer,
    identity,
    playerNames,
    window: claimWindow(now, withinHours),
    oneRewardPerName,
  };
}

type IdentifierQuery = { discord_id?: string; external_id?: string };

export function identityOf({ discord_id, external_id = '' }: IdentifierQuery): ClaimIdentity {
  return discord_id ? { userId: discord_id } : { externalId: external_id };
}
