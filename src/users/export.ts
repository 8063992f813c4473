/**
 * Everything that is stored about a user, as the text of one JSON object. A user can have any number of votes: the text
 * is made while it is sent.
 *
 *   const chunks = await exportUser(store, userId, clock());
 *   if (chunks === undefined) … // nothing is stored about the user
 *   reply.type('application/json').send(Readable.from(chunks));
 */
import { formatInstant, formatInstantOrNull, type Instant } from '../domain/clock.ts';
import { marksOf } from '../domain/votes/marks.ts';
import { voteId } from '../domain/votes/vote.ts';
import type {
  PersonalAccount,
  PersonalAction,
  PersonalActivity,
  PersonalExportStore,
  PersonalVote,
} from '../store/personal-data/export.ts';
import type { Store } from '../store/store.ts';

export async function exportUser(
  { personalData }: Pick<Store, 'personalData'>,
  userId: string,
  now: Instant,
): Promise<AsyncGenerator<string> | undefined> {
  return (await personalData.isKnown(userId)) ? documentOf(personalData, userId, now) : undefined;
}

async function* documentOf(
  personalData: PersonalExportStore,
  userId: string,
  now: Instant,
): AsyncGenerator<string> {
  const account = accountOf(await personalData.account(userId));
  const fields = { user_id: userId, exported_at: formatInstant(now), ...account };
  // Without the last brace: the lists follow.
  yield JSON.stringify(fields).slice(0, -1);
  yield* listOf('votes', personalData.votesOf(userId), (vote) => voteOf(userId, vote));
  yield* listOf('cooldowns', personalData.cooldownsOf(userId), ({ guild_id, last_vote_at }) => ({
    guild_id,
    last_vote_at: formatInstant(last_vote_at),
  }));
  yield* listOf('webhook_events', personalData.eventsOf(userId), ({ guild_id, event_id, body }) => ({
    guild_id,
    event_id,
    event: JSON.parse(body),
  }));
  yield* listOf('claim_responses', personalData.responsesOf(userId), ({ guild_id, created_at, body }) => ({
    guild_id,
    created_at: formatInstant(created_at),
    response: JSON.parse(body),
  }));
  yield* listOf('activities', personalData.activitiesOf(userId), activityOf);
  yield* listOf('operator_actions', personalData.operatorActionsOf(userId), actionOf);
  yield '}\n';
}

/** Items of about this length are sent together. */
const CHUNK_LENGTH = 16_384;

async function* listOf<Item>(
  name: string,
  items: AsyncIterable<Item>,
  describe: (item: Item) => object,
): AsyncGenerator<string> {
  let chunk = `,\n"${name}":[`;
  let separator = '\n';
  for await (const item of items) {
    chunk += separator + JSON.stringify(describe(item));
    separator = ',\n';
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield `${chunk}]`;
}

function accountOf({ profile, ban, signedOutAt, reminders, voterRoles }: PersonalAccount) {
  return {
    profile: profile && {
      name: profile.name,
      avatar: profile.avatar,
      show_name: Boolean(profile.show_name),
      last_sign_in_at: formatInstant(profile.seen_at),
    },
    ban: ban && {
      since: formatInstant(ban.since),
      until: formatInstantOrNull(ban.until),
      reason: ban.reason,
      public_reason: ban.publicReason,
    },
    signed_out_at: formatInstantOrNull(signedOutAt),
    reminders: reminders.map(({ guild_id, locale, active_at, next_attempt_at }) => ({
      guild_id,
      locale,
      active_at: formatInstant(active_at),
      next_attempt_at: formatInstantOrNull(next_attempt_at),
    })),
    voter_roles: voterRoles.map(({ guild_id, role_id, state, check_at }) => ({
      guild_id,
      role_id,
      state,
      check_at: formatInstant(check_at),
    })),
  };
}

function voteOf(userId: string, vote: PersonalVote) {
  const { guild_id, cast_at, external_id, is_doubled, marks, network, claimed_at, claims, batch } = vote;
  const named = Object.entries(claims).map(([consumer, at]) => [consumer, formatInstant(at)]);
  return {
    guild_id,
    vote_id: voteId({ guildId: guild_id, userId, castAt: cast_at }),
    timestamp: formatInstant(cast_at),
    external_id,
    is_doubled: Boolean(is_doubled),
    claimed_at: formatInstantOrNull(claimed_at),
    ...(named.length > 0 && { claims: Object.fromEntries(named) }),
    voided: batch !== null,
    marks: marksOf(marks),
    network,
  };
}

function activityOf({ guild_id, at, first_at, count, action, detail }: PersonalActivity) {
  return {
    guild_id,
    at: formatInstant(at),
    first_at: formatInstant(first_at),
    count,
    action,
    detail: detail === null ? null : JSON.parse(detail),
  };
}

function actionOf({ at, actor_id, action, guild_id, detail }: PersonalAction) {
  return {
    at: formatInstant(at),
    by_user: actor_id !== null,
    action,
    guild_id,
    detail: detail === null ? null : JSON.parse(detail),
  };
}
