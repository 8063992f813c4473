/** Parts of the schemas that several resources share. */
import type { Instant } from '../../domain/clock.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import { parseIsoDate } from '../../domain/votes/period.ts';
import { REASON_MAX_LENGTH } from '../../moderation/moderator.ts';
import { ApiError, type ErrorCode } from '../errors/api-error.ts';
import { ANYWHERE, type Operation } from '../openapi/operation.ts';
import { UserId } from '../v7/fields.ts';
import { LocaleParameter, object, parameters } from '../v7/schema.ts';

export const GuildIdField = {
  ...UserId,
  description: 'The Discord id of the community.',
  examples: ['100000000000000001'],
} as const;

export const ReasonField = {
  type: ['string', 'null'],
  maxLength: REASON_MAX_LENGTH,
  description: 'The reason, for the operators of the site and their log.',
} as const;

/** Not validated as a date by its schema: an invalid one is INVALID_DATE. */
export const DateField = {
  type: ['string', 'null'],
  examples: ['2027-01-01T00:00:00.000Z'],
} as const;

/** Null or absent: null. */
export function readDate(text: string | null | undefined): Instant | null {
  if (text === null || text === undefined) return null;
  const instant = parseIsoDate(text);
  if (instant === undefined) throw new ApiError('INVALID_DATE');
  return instant;
}

/** For routes without parameters of their own. */
export const NoParameters = parameters({ locale: LocaleParameter });

/** Only for the OpenAPI document: an id that is not well-formed belongs to no community. */
export const GuildIdParams = object('GuildIdParams', {
  guild_id: {
    type: 'string',
    description: 'The Discord id of the community.',
    examples: ['100000000000000001'],
  },
});

export const UserIdParams = object('ManagedUserIdParams', {
  user_id: {
    type: 'string',
    description: 'The Discord id of the user.',
    examples: ['200000000000000001'],
  },
});

export function userIdOf({ user_id: userId }: { user_id: string }): string {
  if (!isSnowflake(userId)) throw new ApiError('INVALID_USER_ID');
  return userId;
}

const WITH_TOKEN: ErrorCode[] = ['INVALID_TOKEN', 'MISSING_SCOPE', ...ANYWHERE];
const WITH_BODY: ErrorCode[] = ['BODY_TOO_LARGE', ...WITH_TOKEN];

type Described = Omit<Operation, 'needsKey' | 'codes' | 'isIdempotent'> & {
  scope: string;
  codes?: readonly ErrorCode[];
};

/** An operation that reads: the description names its scope. */
export function operation({ scope, codes = [], ...described }: Described): Operation {
  const description = `${described.description}\n\nScope: \`${scope}\`.`;
  return { ...described, description, needsKey: true, codes: [...codes, ...WITH_TOKEN] };
}

/** An operation with a JSON body. */
export function bodyOperation({ codes = [], ...described }: Described): Operation {
  return { ...operation(described), codes: [...codes, ...WITH_BODY] };
}

/** A POST, which reads an Idempotency-Key. */
export function postOperation({ codes = [], ...described }: Described): Operation {
  const conflicts: ErrorCode[] = ['IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_IN_PROGRESS'];
  return { ...bodyOperation({ ...described, codes: [...codes, ...conflicts] }), isIdempotent: true };
}
