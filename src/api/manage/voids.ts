/** `/voids`: votes that should not count. */
import { EXTERNAL_ID_MAX_LENGTH } from '../../domain/identifiers.ts';
import { VOTE_MARKS } from '../../domain/votes/marks.ts';
import { ALL_TIME, type Period } from '../../domain/votes/period.ts';
import type { VoidSelection } from '../../domain/votes/voids.ts';
import { VOTE_ID_PATTERN } from '../../domain/votes/vote.ts';
import { describeSelection, type SelectionInput, selectVotes } from '../../moderation/selection.ts';
import { restoreVotes, voidVotes } from '../../moderation/voids.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../errors/api-error.ts';
import { Ok, UserId } from '../v7/fields.ts';
import { object, type Static } from '../v7/schema.ts';
import { optionalText } from './body.ts';
import { type ManageEndpoint, moderatorOf } from './endpoint.ts';
import {
  DateField,
  GuildIdField,
  NoParameters,
  operation,
  postOperation,
  ReasonField,
  readDate,
} from './fields.ts';
import { requireGuild } from './guild.ts';
import { runOnce, type Success } from './idempotency.ts';

const PATH = '/voids';
const BATCH_PATH = '/voids/:batch';
const SCOPE = 'moderation:write';

const NewVoid = object(
  'NewVoid',
  {
    guild_id: GuildIdField,
    user_id: { ...UserId, description: 'The votes of one user.' },
    user: { ...UserId, description: 'The same as `user_id`, named as the option of the command line.' },
    external_id: {
      type: 'string',
      maxLength: EXTERNAL_ID_MAX_LENGTH,
      description: 'The votes under a name, compared exactly.',
    },
    mark: { type: 'string', enum: VOTE_MARKS, description: 'The votes with a mark.' },
    network_of: {
      type: 'string',
      pattern: VOTE_ID_PATTERN.source,
      description:
        'The votes from the same network as the vote with this `vote_id`, while networks are kept (30 days).',
    },
    from: { ...DateField, description: 'Only votes from this time on, ISO 8601.' },
    to: { ...DateField, description: 'Only votes before this time, ISO 8601.' },
    reason: { ...ReasonField, description: 'The reason. The event `vote_voided` contains it.' },
    dry_run: { type: 'boolean', description: 'Counts the votes without changing anything.' },
  },
  ['user_id', 'user', 'external_id', 'mark', 'network_of', 'from', 'to', 'reason', 'dry_run'],
);

type NewVoid = Static<typeof NewVoid>;

const VoidResult = object('VoidResult', {
  ok: Ok,
  batch: {
    type: ['string', 'null'],
    description: 'Restores these votes; `null` if nothing was voided.',
  },
  voided: { type: 'integer', minimum: 0, description: 'The number of votes that were, or would be, voided.' },
});

type VoidResult = Static<typeof VoidResult>;

const RestoreResult = object('RestoreResult', {
  ok: Ok,
  batch: { type: 'string', description: 'The batch.' },
  restored: {
    type: 'integer',
    minimum: 0,
    description: 'The number of votes that count again; 0 if the batch was restored before.',
  },
});

type RestoreResult = Static<typeof RestoreResult>;

/** Only for the OpenAPI document: any other text is the id of no batch. */
const BatchParams = object('BatchParams', {
  batch: { type: 'string', description: '`batch` of the response.', examples: ['void_5f0c2a9be1d47388'] },
});

const common = { tag: 'Moderation', scope: SCOPE } as const;

const createVoid = postOperation({
  ...common,
  operationId: 'createVoid',
  summary: 'Void votes',
  description:
    'Voids votes of a community, selected by exactly one of `user_id`, `external_id`, `mark` and `network_of`. They disappear at once from lists, totals, checks, rankings, claims and the feed. The status is 201 if votes were voided, and 200 if there were none or `dry_run` is `true`.',
  success: 'The number of votes, and the batch that restores them.',
  examples: {
    voided: { summary: 'Three votes', value: { ok: true, batch: 'void_5f0c2a9be1d47388', voided: 3 } },
    dry: { summary: 'Nothing was changed', value: { ok: true, batch: null, voided: 3 } },
  },
  codes: [
    'MISSING_IDENTIFIER',
    'MULTIPLE_IDENTIFIERS',
    'INVALID_DATE',
    'INVALID_DATE_RANGE',
    'GUILD_NOT_FOUND',
    'VOTE_NOT_FOUND',
  ],
  fault: { field: 'mark', rule: 'enum', isInBody: true },
});

const deleteVoid = operation({
  ...common,
  operationId: 'deleteVoid',
  summary: 'Restore voided votes',
  description: 'Restores the votes of a batch: they count again.',
  success: 'The number of votes that were restored.',
  examples: {
    restored: { summary: 'Restored', value: { ok: true, batch: 'void_5f0c2a9be1d47388', restored: 3 } },
  },
  codes: ['BATCH_NOT_FOUND'],
  fault: { field: 'locale', rule: 'string' },
});

export const voids: ManageEndpoint = {
  path: PATH,
  methods: ['POST'],
  register: (app, deps) => {
    const { store } = deps;
    const schema = {
      operation: createVoid,
      querystring: NoParameters,
      body: NewVoid,
      response: { 200: VoidResult, 201: VoidResult },
    };
    app.post(PATH, { schema, config: { scope: SCOPE } }, (request, reply) =>
      runOnce(deps, request, reply, async (): Promise<Success<200 | 201, VoidResult>> => {
        const input = selectionOf(request.body);
        const period = periodOf(request.body);
        const reason = optionalText(request.body.reason, 'reason');
        const { guildId } = await requireGuild(store, request.body.guild_id);
        const query = { guildId, selection: await select(store, guildId, input), period };
        if (request.body.dry_run === true) {
          const voided = await store.moderation.countVoidable(query);
          return { status: 200, body: { ok: true, batch: null, voided } };
        }
        const logged = { selection: describeSelection(input) };
        const outcome = await voidVotes(moderatorOf(request, deps), { ...query, reason, logged });
        if (outcome.kind === 'nothing') return { status: 200, body: { ok: true, batch: null, voided: 0 } };
        return { status: 201, body: { ok: true, batch: outcome.batch, voided: outcome.votes } };
      }),
    );
  },
};

export const voidBatch: ManageEndpoint = {
  path: BATCH_PATH,
  methods: ['DELETE'],
  register: (app, deps) => {
    const schema = {
      operation: deleteVoid,
      params: BatchParams,
      querystring: NoParameters,
      response: { 200: RestoreResult },
    };
    app.delete(BATCH_PATH, { schema, config: { scope: SCOPE } }, async (request): Promise<RestoreResult> => {
      const { batch } = request.params;
      const outcome = BATCH_PATTERN.test(batch)
        ? await restoreVotes(moderatorOf(request, deps), batch)
        : ({ kind: 'unknown' } as const);
      if (outcome.kind === 'unknown') throw new ApiError('BATCH_NOT_FOUND');
      return { ok: true, batch, restored: outcome.kind === 'restored' ? outcome.votes : 0 };
    });
  },
};

/** The form of ids that `createBatchId` makes. */
const BATCH_PATTERN = /^void_[0-9a-f]{1,32}$/;

function selectionOf({ user_id, user, external_id, mark, network_of }: NewVoid): SelectionInput {
  const userId = user_id ?? user;
  const given: SelectionInput[] = [];
  if (userId !== undefined) given.push({ kind: 'user', userId });
  if (external_id !== undefined) given.push({ kind: 'name', externalId: external_id });
  if (mark !== undefined) given.push({ kind: 'mark', mark });
  if (network_of !== undefined) given.push({ kind: 'network', voteId: network_of });
  const [input] = given;
  const isAmbiguous = given.length > 1 || (user !== undefined && user !== userId);
  if (!input) throw ApiError.because('void_selection');
  if (isAmbiguous) throw ApiError.because('void_selections');
  return input;
}

function periodOf({ from, to }: NewVoid): Period {
  const period = { from: readDate(from) ?? ALL_TIME.from, to: readDate(to) ?? ALL_TIME.to };
  if (period.from >= period.to) throw new ApiError('INVALID_DATE_RANGE');
  return period;
}

async function select(store: Store, guildId: string, input: SelectionInput): Promise<VoidSelection> {
  const outcome = await selectVotes(store, guildId, input);
  switch (outcome.kind) {
    case 'selected':
      return outcome.selection;
    case 'unknown_vote':
      throw new ApiError('VOTE_NOT_FOUND');
    case 'unknown_network':
      throw ApiError.because('network_unknown');
  }
}
