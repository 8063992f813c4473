import Type from 'typebox';
import { EXTERNAL_ID_MAX_LENGTH, SNOWFLAKE_MAX_LENGTH, SNOWFLAKE_PATTERN } from '../../domain/identifiers.ts';

/*
 * What goes in and what comes out. The same objects check parameters, write answers and become the OpenAPI
 * document; an object with a `title` gets a name there.
 */

export const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 1000;

const DateTime = Type.String({ format: 'date-time' });
/** Written as a list of types: `anyOf` would make the serialiser test each value against both branches. */
function nullableDateTime(description: string) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });
}

const Ok = Type.Literal(true, { description: 'Always `true` in an answer that is not an error.' });
const GuildId = Type.String({ description: 'The community that the key belongs to.' });

const commonParameters = {
  api_token: Type.Optional(
    Type.String({
      deprecated: true,
      description:
        'Deprecated: the key, in the address. Addresses end up in logs and histories; send a header instead.',
    }),
  ),
  locale: Type.Optional(
    Type.String({
      description:
        'Language of messages: `en` or `fr`. Decides over the headers; any other value is English.',
    }),
  ),
};

export const VoteCheckQuery = Type.Object({
  discord_id: Type.Optional(
    Type.String({
      maxLength: SNOWFLAKE_MAX_LENGTH,
      pattern: SNOWFLAKE_PATTERN,
      description: 'Discord id of the user. Give this or `external_id`, never both.',
      examples: ['200000000000000001'],
    }),
  ),
  external_id: Type.Optional(
    Type.String({
      maxLength: EXTERNAL_ID_MAX_LENGTH,
      description:
        'Your own name for the user, exactly as it stood in the vote link they came through: ' +
        '`/guild/<guild_id>/vote?external_id=<external_id>`. If several users voted under it, the newest vote counts.',
    }),
  ),
  ...commonParameters,
});

export type VoteCheckQuery = Type.Static<typeof VoteCheckQuery>;

export const VoteCheckResult = Type.Object(
  {
    ok: Ok,
    guild_id: GuildId,
    has_voted: Type.Boolean({
      description: '`true` for one hour after the vote. At exactly one hour it is `false` again.',
    }),
    is_doubled: Type.Boolean({ description: 'Whether that vote counts double.' }),
    last_vote_at: nullableDateTime('When the vote was cast; `null` when there is none within the last hour.'),
    next_vote_at: nullableDateTime('One hour after `last_vote_at`: when the user can vote again.'),
    cooldown_remaining_seconds: Type.Integer({
      minimum: 0,
      description: 'Whole seconds until `next_vote_at`, rounded up; 0 when the user can vote now.',
    }),
  },
  { title: 'VoteCheckResult' },
);

export type VoteCheckResult = Type.Static<typeof VoteCheckResult>;

/** Dates and cursor are plain strings here: the contract answers them with codes of their own. */
export const VoteListQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      description:
        'Start of the period, included. ISO 8601, for example `2026-11-01T00:00:00.000Z`: a date, or a date-time with an offset or in UTC. Default: the start of the current month.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      description:
        'End of the period, not included. At most 31 days after `from`. Default: now. A `+` in an offset is written `%2B`.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      description:
        '`pagination.next_cursor` of the page before, unchanged. It carries the period, so the dates may be left out.',
    }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    default: DEFAULT_PAGE_SIZE,
    description: 'Most votes on one page.',
  }),
  ...commonParameters,
});

export type VoteListQuery = Type.Static<typeof VoteListQuery>;

/** For the document: the address is never refused by a schema, a wrong id has its own code. */
export const UserVotesParams = Type.Object({
  user_id: Type.String({
    maxLength: SNOWFLAKE_MAX_LENGTH,
    pattern: SNOWFLAKE_PATTERN,
    description: 'Discord id of the user.',
    examples: ['200000000000000001'],
  }),
});

const VoteEntry = Type.Object(
  {
    user_id: Type.String({ description: 'Discord id of the user.' }),
    timestamp: DateTime,
    is_doubled: Type.Boolean({
      description: 'Whether the vote counts double. It is one entry all the same.',
    }),
  },
  { title: 'Vote' },
);

const voteListFields = {
  votes: Type.Array(VoteEntry, { description: 'The votes of this page, oldest first.' }),
  total: Type.Integer({
    minimum: 0,
    description: 'Votes in the whole period; the same on every page.',
  }),
  pagination: Type.Object(
    {
      limit: Type.Integer({ description: 'The page size that was used.' }),
      has_more: Type.Boolean({ description: 'Whether another page follows.' }),
      next_cursor: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Send it as `cursor` for the next page; `null` on the last one.',
      }),
    },
    { title: 'Pagination' },
  ),
  period: Type.Object({ from: DateTime, to: DateTime }, { title: 'Period' }),
};

export const VoteList = Type.Object({ ok: Ok, guild_id: GuildId, ...voteListFields }, { title: 'VoteList' });

export type VoteList = Type.Static<typeof VoteList>;

export const UserVoteList = Type.Object(
  {
    ok: Ok,
    guild_id: GuildId,
    user_id: Type.String({ description: 'The user that was asked for.' }),
    ...voteListFields,
  },
  { title: 'UserVoteList' },
);

export type UserVoteList = Type.Static<typeof UserVoteList>;
