/** What requests about claims have in common: whose votes, and how far back. */
import type { Guild } from '../../../domain/guild.ts';
import {
  type ClaimIdentity,
  claimWindow,
  DEFAULT_WITHIN_HOURS,
  MAX_WITHIN_HOURS,
} from '../../../domain/votes/vote.ts';
import type { ClaimRequest } from '../../../store/claims.ts';
import { type Operation, WITH_IDENTIFIER } from '../../openapi/operation.ts';

export const WithinHours = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_WITHIN_HOURS,
  description: `How many hours back to look for votes. Default: ${DEFAULT_WITHIN_HOURS}.`,
} as const;

export const DefaultedWithinHours = { ...WithinHours, default: DEFAULT_WITHIN_HOURS } as const;

export const claimOperation = {
  tag: 'Claims',
  needsKey: true,
  codes: WITH_IDENTIFIER,
  fault: { field: 'within_hours', rule: 'max', bound: MAX_WITHIN_HOURS },
} satisfies Partial<Operation>;

export function claimQuery(
  { guildId, oneRewardPerName }: Guild,
  identity: ClaimIdentity,
  now: number,
  withinHours: number,
): Omit<ClaimRequest, 'now' | 'idempotency' | 'render'> {
  return { guildId, identity, window: claimWindow(now, withinHours), oneRewardPerName };
}

type IdentifierQuery = { discord_id?: string; external_id?: string };

export function identityOf({ discord_id, external_id = '' }: IdentifierQuery): ClaimIdentity {
  return discord_id ? { userId: discord_id } : { externalId: external_id };
}
