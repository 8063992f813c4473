/** Compiled, not run: the types of the package in a strict project. */
import {
  type ClaimableVote,
  type ClaimedVote,
  type FeedVote,
  isVotaryError,
  isVotaryValidationError,
  type UserVotePage,
  Votary,
  VotaryError,
  type Vote,
  type VoteCheck,
  type VotePage,
  verifyWebhook,
  type WebhookEvent,
  webhookHandler,
} from '@votary/sdk';

const votary = new Votary({ apiKey: 'key', baseUrl: 'https://example.org', fetch });
const { signal } = new AbortController();

export async function calls(): Promise<[VoteCheck, VotePage, UserVotePage]> {
  for await (const vote of votary.votes({ from: new Date(0), to: '2026-01-01', signal })) show(vote);
  for await (const vote of votary.userVotes('1')) show(vote);
  return [
    await votary.checkVote({ discordId: '1' }, { signal }),
    await votary.listVotes({ limit: 5, cursor: null }),
    await votary.listUserVotes('1', { from: '2026-01-01' }),
  ];
}

export async function rewards(stored: string | null): Promise<ClaimedVote | ClaimableVote[] | undefined> {
  const { claimed, vote, remaining } = await votary.claim(
    { externalId: 'a' },
    { withinHours: 48, idempotencyKey: 'k', signal },
  );
  if (claimed && remaining === 0) return vote;
  if (claimed && (await votary.release(vote))) return undefined;
  if (await votary.release('vote_1', { claimedAt: new Date(), signal }))
    return (await votary.claims({ discordId: '1' })).votes;
  for await (const { votes, cursor } of votary.feed({ cursor: stored, signal })) follow(votes, cursor);
  for await (const { claimedAt } of votary.pendingClaims({ withinHours: 1 })) claimedAt?.getTime();
  for (const { discordId, hasVoted } of await votary.checkVotes({ discordIds: ['1'] }))
    follow([], discordId + hasVoted);
  for (const { externalId, claimable } of await votary.claimable({ externalIds: ['a'] }, { withinHours: 1 }))
    follow([], externalId + claimable);
  const signing = { secret: 'vls_a', expires: new Date() };
  follow(
    [],
    await votary.voteLink({ guildId: '1', externalId: 'a', returnTo: 'https://example.org', signing }),
  );
  return undefined;
}

function follow(votes: FeedVote[], cursor: string): string {
  return votes.map(({ voteId, externalId }) => externalId ?? voteId).join() + cursor;
}

function show({ userId, timestamp, isDoubled }: Vote): string {
  return `${userId.length} ${timestamp.getTime()} ${isDoubled === true}`;
}

export async function mistakes(): Promise<void> {
  // @ts-expect-error: one identity, not two
  await votary.checkVote({ discordId: '1', externalId: 'a' });
  // @ts-expect-error: one identity, not none
  await votary.checkVote({});
  // @ts-expect-error: an id is a string
  await votary.checkVote({ discordId: 1 });
  // @ts-expect-error: a key is required
  new Votary({ baseUrl: 'https://example.org' });
  // @ts-expect-error: the runtime for tests is not part of the public types
  new Votary({ apiKey: 'key', baseUrl: 'https://example.org' }, {});
  // @ts-expect-error: ids of one kind
  await votary.checkVotes({ discordIds: ['1'], externalIds: ['a'] });
  // @ts-expect-error: there may be no claimed vote
  (await votary.claim({ discordId: '1' })).vote.voteId;
  const { lastVoteAt } = await votary.checkVote({ externalId: 'a' });
  // @ts-expect-error: there may be no vote
  lastVoteAt.getTime();
}

export function describeError(error: unknown): string | number | null {
  if (isVotaryValidationError(error)) return error.fields.map(({ field }) => field).join();
  if (isVotaryError(error)) return error.code === 'RATE_LIMITED' ? error.retryAfter : error.status;
  return error instanceof VotaryError ? error.message : null;
}

export async function receive(body: string, headers: Headers): Promise<string> {
  const result = await verifyWebhook(body, headers, ['whsec_a', 'whsec_b']);
  return result.valid ? nameVoter(result.event) : `${result.reason}: ${result.message}`;
}

function nameVoter(event: WebhookEvent): string {
  switch (event.type) {
    case 'vote_received':
      return `${event.data.userId} ${event.data.nextVoteAt.toISOString()} ${event.data.externalId ?? ''}`;
    case 'vote_available':
      return event.data.userId;
    case 'reward_granted':
      return event.data.claimedAt.toISOString();
    case 'vote_voided':
      return event.data.batch;
    case 'goal_reached':
      return `${event.data.period} ${event.data.goal.toFixed()} ${event.data.reachedAt.toISOString()}`;
    case 'webhook_test':
      return event.data.guildId;
    case 'unknown':
      return event.name;
  }
}

export const handler = webhookHandler({
  secret: 'whsec_a',
  onVote: async ({ id, data }) => `${id} ${data.votesThisMonth.toFixed()}`,
  seen: (id) => id === '',
});
