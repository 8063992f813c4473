import type { Store } from './store.ts';

export type Listeners = {
  /** A vote was accepted. */
  onVote(guildId: string): void;
  /** Webhook events may have been queued. */
  onEvents(guildId: string): void;
};

/** Wraps a store to notify this process of its writes, without waiting for the next poll. */
export function announceChanges(store: Store, { onVote, onEvents }: Listeners): Store {
  const cast: Store['votes']['cast'] = async (vote, evidence) => {
    const outcome = await store.votes.cast(vote, evidence);
    if (outcome.accepted) {
      onVote(vote.guildId);
      onEvents(vote.guildId);
    }
    return outcome;
  };
  const claim: Store['claims']['claim'] = async (request) => {
    const result = await store.claims.claim(request);
    if (result.kind === 'done' && result.claimed) onEvents(request.guildId);
    return result;
  };
  const voidVotes: Store['moderation']['void'] = async (request) => {
    const voided = await store.moderation.void(request);
    if (voided > 0) onEvents(request.guildId);
    return voided;
  };
  const moderation = { ...store.moderation, void: voidVotes };
  return { ...store, moderation, votes: { ...store.votes, cast }, claims: { ...store.claims, claim } };
}
