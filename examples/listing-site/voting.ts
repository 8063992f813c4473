/** Casts votes, and says what happened in words for the visitor. */
import { isVotaryError, type VotaryError, type VotaryManager } from '@votary/sdk/manage';
import { HttpError } from './http.ts';

export type Ballot = {
  guildId: string;
  userId: string;
  /** The name of the voter in the community's game. */
  externalId: string | null;
  /** Identifies the form: a form that is sent twice, by a double click or a reload, is one vote with one result. */
  attempt: string | null;
};

export type Outcome = { status: number; message: string; nextVoteAt: Date | null };

const REFUSALS: Record<string, string> = {
  banned: 'Your account cannot vote on this site.',
  account_too_young: 'Your Discord account is too new. Try again when it is a few days older.',
  sanctioned: 'This community is closed at the moment.',
  network: 'There were too many votes from your network. Try again in an hour.',
};

export async function castVote(
  manager: VotaryManager,
  { guildId, userId, externalId, attempt }: Ballot,
  network: string | undefined,
): Promise<Outcome> {
  if (!/^[0-9a-f-]{36}$/.test(attempt ?? ''))
    throw new HttpError(400, 'Open the page again, and vote there.');
  // With the user in the key, nobody gets the stored result of another visitor.
  const idempotencyKey = `vote-${userId}-${attempt}`;
  try {
    const vote = { guildId, userId, externalId: externalId?.trim() || null, network };
    const { nextVoteAt } = await manager.castVote(vote, { idempotencyKey });
    return { status: 200, message: 'Thank you for your vote!', nextVoteAt };
  } catch (error) {
    if (!isVotaryError(error)) throw error;
    return describeRefusal(error) ?? rethrow(error);
  }
}

function describeRefusal({ code, reason, nextVoteAt, message }: VotaryError): Outcome | undefined {
  switch (code) {
    case 'ALREADY_VOTED':
      return { status: 409, message: 'You have already voted for this community.', nextVoteAt };
    case 'NOT_ELIGIBLE':
      return { status: 403, message: REFUSALS[reason ?? ''] ?? 'You cannot vote here.', nextVoteAt: null };
    case 'VALIDATION_ERROR':
      return {
        status: 400,
        message: 'This name cannot be used. Correct it, and vote again.',
        nextVoteAt: null,
      };
    case 'MAINTENANCE':
      return { status: 503, message, nextVoteAt: null };
    default:
      return undefined;
  }
}

function rethrow(error: unknown): never {
  throw error;
}

/** What a visitor sees if a page fails. The reason is for the operator's log, not for visitors. */
export function describeFailure(error: unknown): { status: number; message: string } {
  if (error instanceof HttpError) return error;
  if (isVotaryError(error) && error.code === 'GUILD_NOT_FOUND')
    return { status: 404, message: 'This community is not listed here.' };
  if (isVotaryError(error))
    return { status: 503, message: 'Voting is not available. Try again in a minute.' };
  return { status: 500, message: 'Something failed. Try again later.' };
}
