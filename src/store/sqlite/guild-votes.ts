import type { RecentWindow, Vote } from '../../domain/votes/vote.ts';

/** Up to this many votes are compared one by one: faster than a map, and without the memory of two. */
const FEW_VOTES = 16;

type VoteLists = Map<string, Vote[]>;

/** Shared by guilds without recent votes, which are most of them. */
const NO_VOTES: Vote[] = [];

/** The recent votes of one guild, for the cache. */
export class GuildVotes {
  /** By time, the newest last, like every list here. */
  #votes = NO_VOTES;
  /** Once there are more than a few. */
  #byUser: VoteLists | undefined;
  #byExternalId: VoteLists | undefined;

  add(vote: Vote): void {
    if (this.#votes === NO_VOTES) this.#votes = [vote];
    else insert(this.#votes, vote);
    if (this.#byUser && this.#byExternalId) addToLists(this.#byUser, this.#byExternalId, vote);
    else if (this.#votes.length > FEW_VOTES) this.#makeLists();
  }

  latestOfUser(userId: string, window: RecentWindow): Vote | undefined {
    const votes = this.#byUser ? (this.#byUser.get(userId) ?? []) : this.#votes;
    for (let i = votes.length - 1; i >= 0; i -= 1) {
      const vote = votes[i];
      if (vote !== undefined && vote.userId === userId && isInside(vote, window)) return vote;
    }
    return undefined;
  }

  latestOfExternalId(externalId: string, window: RecentWindow): Vote | undefined {
    const votes = this.#byExternalId ? (this.#byExternalId.get(externalId) ?? []) : this.#votes;
    for (let i = votes.length - 1; i >= 0; i -= 1) {
      const vote = votes[i];
      if (vote !== undefined && vote.externalId === externalId && isInside(vote, window)) return vote;
    }
    return undefined;
  }

  #makeLists(): void {
    const [byUser, byExternalId]: [VoteLists, VoteLists] = [new Map(), new Map()];
    for (const vote of this.#votes) addToLists(byUser, byExternalId, vote);
    this.#byUser = byUser;
    this.#byExternalId = byExternalId;
  }
}

function addToLists(byUser: VoteLists, byExternalId: VoteLists, vote: Vote): void {
  addToList(byUser, vote.userId, vote);
  if (vote.externalId !== null) addToList(byExternalId, vote.externalId, vote);
}

function addToList(lists: VoteLists, name: string, vote: Vote): void {
  const votes = lists.get(name);
  if (votes) insert(votes, vote);
  else lists.set(name, [vote]);
}

function insert(votes: Vote[], vote: Vote): void {
  votes.splice(votes.findLastIndex((other) => isBefore(other, vote)) + 1, 0, vote);
}

function isBefore(a: Vote, b: Vote): boolean {
  return a.castAt === b.castAt ? a.userId < b.userId : a.castAt < b.castAt;
}

function isInside({ castAt }: Vote, { after, until }: RecentWindow): boolean {
  return castAt <= until && castAt > after;
}
