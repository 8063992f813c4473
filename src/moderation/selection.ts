/** Which votes are voided: chosen by the operator, or starting from one vote. */
import { isVoteMark, type VoteMark } from '../domain/votes/marks.ts';
import type { Period } from '../domain/votes/period.ts';
import type { VoidSelection } from '../domain/votes/voids.ts';
import { positionOf, type Vote, type VotePosition, voteId } from '../domain/votes/vote.ts';
import type { Store } from '../store/store.ts';

type Stores = Pick<Store, 'moderation' | 'votes'>;

/** How an operator selects votes. `network` selects those from the same network as the given vote. */
export type SelectionInput =
  | { kind: 'user'; userId: string }
  | { kind: 'name'; externalId: string }
  | { kind: 'mark'; mark: VoteMark }
  | { kind: 'network'; voteId: string };

/** The selection as options of the command line, for the log of operators. */
export function describeSelection(input: SelectionInput): string {
  switch (input.kind) {
    case 'user':
      return `--user ${input.userId}`;
    case 'name':
      return `--external-id ${input.externalId}`;
    case 'mark':
      return `--mark ${input.mark}`;
    case 'network':
      return `--network-of ${input.voteId}`;
  }
}

/**
 * What `describeSelection` wrote, or a choice of the operator console. `undefined` for a text that neither of them has
 * written, such as one with an erased part.
 */
export function readSelection(text: string): SelectionInput | VoidChoice | undefined {
  const choice = VOID_CHOICES.find((known) => known === text);
  if (choice) return choice;
  const [, option, value = ''] = /^--(user|external-id|mark|network-of) (.+)$/s.exec(text) ?? [];
  switch (option) {
    case 'user':
      return { kind: 'user', userId: value };
    case 'external-id':
      return { kind: 'name', externalId: value };
    case 'mark':
      return isVoteMark(value) ? { kind: 'mark', mark: value } : undefined;
    case 'network-of':
      return { kind: 'network', voteId: value };
    default:
      return undefined;
  }
}

/** `unknown_network`: networks are kept for a limited time. */
export type SelectionOutcome =
  | { kind: 'selected'; selection: VoidSelection }
  | { kind: 'unknown_vote' }
  | { kind: 'unknown_network' };

export async function selectVotes(
  store: Stores,
  guildId: string,
  input: SelectionInput,
): Promise<SelectionOutcome> {
  switch (input.kind) {
    case 'user':
      return { kind: 'selected', selection: { userId: input.userId } };
    case 'name':
      return { kind: 'selected', selection: { externalId: input.externalId } };
    case 'mark':
      return { kind: 'selected', selection: { mark: input.mark } };
    case 'network': {
      const vote = await findVote(store, guildId, input.voteId);
      if (!vote) return { kind: 'unknown_vote' };
      const selection = await networkOf(store, vote);
      return selection ? { kind: 'selected', selection } : { kind: 'unknown_network' };
    }
  }
}

const VOTES_AT_ONCE = 1000;

/** Vote ids are computed and not stored, so the guild's votes are searched, newest first. */
async function findVote({ votes }: Stores, guildId: string, id: string): Promise<Vote | undefined> {
  for (let before: VotePosition | null = null; ; ) {
    const page: Vote[] = await votes.recent(guildId, null, before, VOTES_AT_ONCE);
    const found = page.find((vote) => voteId(vote) === id);
    const last = page.at(-1);
    if (found || !last) return found;
    before = positionOf(last);
  }
}

async function networkOf({ moderation }: Stores, vote: Vote): Promise<VoidSelection | undefined> {
  const network = await moderation.networkOf(vote.guildId, positionOf(vote));
  return network === null ? undefined : { network };
}

/** What can be voided, starting from one vote: the vote itself, or others of its user, name or network. The smallest first. */
export const VOID_CHOICES = ['vote', 'user', 'name', 'network'] as const;

export type VoidChoice = (typeof VOID_CHOICES)[number];

export type ChosenVotes = { choice: VoidChoice; selection: VoidSelection; period: Period };

/** Only votes of the period; the vote itself in any case. `undefined` if the vote has no name, or if its network is no longer kept. */
export async function chooseVotes(
  store: Stores,
  vote: Vote,
  choice: VoidChoice,
  period: Period,
): Promise<ChosenVotes | undefined> {
  const { userId, castAt, externalId } = vote;
  switch (choice) {
    case 'user':
      return { choice, selection: { userId }, period };
    case 'vote':
      return { choice, selection: { userId }, period: { from: castAt, to: castAt + 1 } };
    case 'name':
      return externalId === null ? undefined : { choice, selection: { externalId }, period };
    case 'network': {
      const selection = await networkOf(store, vote);
      return selection && { choice, selection, period };
    }
  }
}

/** Every choice that there is for this vote, limited to the period, and how many votes it has now. */
export async function offerVotes(
  store: Stores,
  vote: Vote,
  period: Period,
): Promise<(ChosenVotes & { votes: number })[]> {
  const { guildId } = vote;
  const offers = await Promise.all(
    VOID_CHOICES.map(async (choice) => {
      const chosen = await chooseVotes(store, vote, choice, period);
      return chosen && { ...chosen, votes: await store.moderation.countVoidable({ guildId, ...chosen }) };
    }),
  );
  return offers.filter((offer) => offer !== undefined);
}
