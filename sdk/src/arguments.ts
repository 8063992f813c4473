/** Converts the arguments of `Votary` methods to API parameters, and checks what the service cannot check. */

import { VotaryError } from './errors/votary-error.ts';
import { toInstant } from './period.ts';
import type {
  ClaimsOptions,
  DateInput,
  HeldClaim,
  ReleaseOptions,
  VoterIdentities,
  VoterIdentity,
} from './types.ts';

export function readDate(value: DateInput | undefined, name: string): string | undefined {
  return value === undefined ? undefined : new Date(toInstant(value, name)).toISOString();
}

export function identityQuery(voter: VoterIdentity) {
  return {
    discord_id: readText(voter?.discordId, 'discordId'),
    external_id: readText(voter?.externalId, 'externalId'),
  };
}

/** What calls about claims have in common. */
export function claimsQuery({ withinHours, consumer }: ClaimsOptions) {
  return { within_hours: withinHours?.toString(), consumer: readText(consumer, 'consumer') };
}

/** The maximum number of identifiers in a request. */
const BATCH_SIZE = 50;

/** The identifiers in groups of one request each, with the names of their parameter and of their field in results. */
export function identityBatches({ discordIds, externalIds }: VoterIdentities) {
  const [kind, name, ids] = discordIds
    ? (['discord_id', 'discordId', discordIds] as const)
    : (['external_id', 'externalId', externalIds ?? []] as const);
  const texts = ids.map((id) => readText(id, `${name}s`) ?? '');
  const batches: string[][] = [];
  for (let start = 0; start < texts.length; start += BATCH_SIZE)
    batches.push(texts.slice(start, start + BATCH_SIZE));
  return { kind, name, batches };
}

/** Checked here, because `fetch` reports a header that it cannot send as a network error. */
export function readIdempotencyKey(key: unknown): string {
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new VotaryError(
    'INVALID_ARGUMENT',
    'idempotencyKey must be 1 to 255 visible ASCII characters, without spaces',
  );
}

function readVoteId(voteId: unknown): string {
  if (typeof voteId === 'string' && /^\w+$/.test(voteId)) return voteId;
  throw new VotaryError('INVALID_VOTE_ID', 'voteId must be the voteId of a claimed vote');
}

/** A vote that is not claimed has no time, and must not release a claim that somebody else made since. */
export function readHeldClaim(vote: string | HeldClaim, options: ReleaseOptions) {
  if (typeof vote === 'string')
    return { voteId: readVoteId(vote), claimedAt: readDate(options.claimedAt, 'claimedAt') };
  if (!vote?.claimedAt) {
    throw new VotaryError('INVALID_ARGUMENT', 'release needs a vote as claim returned it, with claimedAt');
  }
  return { voteId: readVoteId(vote.voteId), claimedAt: readDate(vote.claimedAt, 'claimedAt') };
}

/** The service validates the format of ids. Numbers are rejected here, because they have already lost their last digits. */
export function readText(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new VotaryError(
    'INVALID_ARGUMENT',
    `${name} must be a string: as a number, an id loses its last digits`,
  );
}

/** Other characters could change the path: `users/..` would list the votes of all users. */
export function userVotesPath(userId: string): string {
  const id = readText(userId, 'userId') ?? '';
  if (!/^[0-9A-Za-z]+$/.test(id)) {
    throw new VotaryError('INVALID_USER_ID', 'userId must be the Discord id of a user: 15 to 20 digits');
  }
  return `/guild/votes/users/${id}`;
}
