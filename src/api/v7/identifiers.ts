/** The users that a request is about: by Discord id or by name, one or up to 50 of them. */
import type { HookHandlerDoneFunction as Done, FastifyReply, FastifyRequest } from 'fastify';
import { EXTERNAL_ID_MAX_LENGTH } from '../../domain/identifiers.ts';
import { isRecord } from '../../domain/record.ts';
import { isWellEncoded } from '../../domain/text/percent-encoding.ts';
import { ApiError } from '../errors/api-error.ts';
import { ValidationError } from '../errors/validation-error.ts';
import { GuildId, Ok, UserId } from './fields.ts';
import { object } from './schema.ts';

/** Exactly one of them identifies a user. */
export const identifierParameters = {
  discord_id: {
    ...UserId,
    description: 'Discord id of the user. Send either this or `external_id`.',
  },
  external_id: {
    type: 'string',
    maxLength: EXTERNAL_ID_MAX_LENGTH,
    description:
      'Your own name for the user, exactly as in the vote link they used: ' +
      '`/guild/<guild_id>/vote?external_id=<external_id>`. If several users voted under it, the latest vote counts.',
  },
} as const;

/** Runs before validation: two identifiers are an error regardless of their values. */
export function requireOneIdentifier(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  const { discord_id, external_id } = isRecord(request.query) ? request.query : {};
  const given = [discord_id, external_id].filter(isGiven).length;
  if (given > 1) throw new ApiError('MULTIPLE_IDENTIFIERS');
  if (given === 0) throw new ApiError('MISSING_IDENTIFIER');
  // Any text can be an external id, so no other rule rejects a malformed one: it would just have no votes.
  if (!isWellEncoded(request.url, 'external_id')) {
    throw new ValidationError([{ field: 'external_id', rule: 'encoding' }]);
  }
  done();
}

/** Empty values count as absent, including those of a repeated parameter. */
function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.some(Boolean) : Boolean(value);
}

export const MAX_BATCH_SIZE = 50;

/** Many users, all of one kind: `?discord_id=…&discord_id=…`. */
export const batchParameters = {
  discord_id: {
    type: 'array',
    items: identifierParameters.discord_id,
    maxItems: MAX_BATCH_SIZE,
    description: 'Discord ids of the users, as a repeated parameter. Send either these or `external_id`.',
  },
  external_id: {
    type: 'array',
    items: identifierParameters.external_id,
    maxItems: MAX_BATCH_SIZE,
    description: 'Your own names for the users, as a repeated parameter. Send either these or `discord_id`.',
  },
} as const;

/** The response to a batch: one result per user, of these fields. */
export function batchResult<const Fields extends Readonly<Record<string, object>>>(
  title: string,
  { entryTitle, fields }: { entryTitle: string; fields: Fields },
) {
  const sentIdentifier = {
    discord_id: { type: 'string', description: 'The identifier that was sent, when it was a Discord id.' },
    external_id: { type: 'string', description: 'The identifier that was sent, when it was a name.' },
  } as const;
  return object(title, {
    ok: Ok,
    guild_id: GuildId,
    results: {
      type: 'array',
      maxItems: MAX_BATCH_SIZE,
      description: 'One result per identifier, in the order of the request.',
      items: object(entryTitle, { ...sentIdentifier, ...fields }, ['discord_id', 'external_id']),
    },
  });
}

type BatchQuery = { discord_id?: string[]; external_id?: string[] };

/** The users of a batch. `kind` is the name under which each result repeats its identifier. */
export function readBatch({ discord_id, external_id = [] }: BatchQuery) {
  return discord_id
    ? { kind: 'discord_id' as const, identifiers: discord_id }
    : { kind: 'external_id' as const, identifiers: external_id };
}
