import Type from 'typebox';
import { EXTERNAL_ID_MAX_LENGTH, SNOWFLAKE_MAX_LENGTH, SNOWFLAKE_PATTERN } from '../../domain/identifiers.ts';

export const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 1000;

const DateTime = Type.String({ format: 'date-time' });
/** Written as a list of types: `anyOf` would make the serialiser test each value against both branches. */
const NullableDateTime = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });
const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const commonParameters = {
  api_token: Type.Optional(Type.String({ deprecated: true, description: 'Deprecated way to pass the key.' })),
  locale: Type.Optional(Type.String({ description: 'Language of messages: en or fr.' })),
};

export const VoteCheckQuery = Type.Object({
  discord_id: Type.Optional(Type.String({ maxLength: SNOWFLAKE_MAX_LENGTH, pattern: SNOWFLAKE_PATTERN })),
  external_id: Type.Optional(Type.String({ maxLength: EXTERNAL_ID_MAX_LENGTH })),
  ...commonParameters,
});

export type VoteCheckQuery = Type.Static<typeof VoteCheckQuery>;

export const VoteCheckResult = Type.Object({
  ok: Type.Boolean(),
  guild_id: Type.String(),
  has_voted: Type.Boolean(),
  is_doubled: Type.Boolean(),
  last_vote_at: NullableDateTime,
  next_vote_at: NullableDateTime,
  cooldown_remaining_seconds: Type.Integer({ minimum: 0 }),
});

export type VoteCheckResult = Type.Static<typeof VoteCheckResult>;

/** Dates and cursor are plain strings here: the contract answers them with codes of their own. */
export const VoteListQuery = Type.Object({
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String()),
  limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
  ...commonParameters,
});

export type VoteListQuery = Type.Static<typeof VoteListQuery>;

export const UserVotesParams = Type.Object({ user_id: Type.String() });

const VoteEntry = Type.Object({
  user_id: Type.String(),
  timestamp: DateTime,
  is_doubled: Type.Boolean(),
});

const voteListFields = {
  votes: Type.Array(VoteEntry),
  total: Type.Integer({ minimum: 0 }),
  pagination: Type.Object({
    limit: Type.Integer(),
    has_more: Type.Boolean(),
    next_cursor: NullableString,
  }),
  period: Type.Object({ from: DateTime, to: DateTime }),
};

export const VoteList = Type.Object({ ok: Type.Boolean(), guild_id: Type.String(), ...voteListFields });

export type VoteList = Type.Static<typeof VoteList>;

export const UserVoteList = Type.Object({
  ok: Type.Boolean(),
  guild_id: Type.String(),
  user_id: Type.String(),
  ...voteListFields,
});
