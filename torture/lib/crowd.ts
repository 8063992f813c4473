/**
 * People who vote on the voting page, many at a time, and what each of them knows of the own vote.
 *
 *   const crowd = newCrowd(issuer);
 *   const voting = crowd.startVoting(server.url);
 *   await voting.begun;
 *   await server.kill();
 *   await voting.end();
 *   crowd.compare(await readVotes(site));   // before anybody votes again: a second vote would hide a lost one
 *   crowd.tally();                          // { votes, unanswered, kept, lost, doubled }
 */
import { type Client, castVote, inParallel, newClient } from './client.ts';
import { newUserId, type SessionIssuer } from './sessions.ts';
import { doubledUsers, GUILD } from './site.ts';

const WORKERS = 16;
/** How many users who have already voted try again each time. */
const GREEDY = 20;
const ACCEPTED = 303;

export type Voting = {
  /** Resolves when the first response arrives. */
  begun: Promise<void>;
  /** The pending requests. Each resolves to its status; to 0 without a response. */
  underWay(): Promise<number>[];
  /** Cuts off pending requests. Returns the number of responses by status. */
  end(): Promise<Record<string, number>>;
};

export type Tally = { votes: number; unanswered: number; kept: number; lost: number; doubled: number };

export type Crowd = {
  /** New users, users who do not know whether their vote was counted, and some who know that it was. */
  startVoting(url: string): Voting;
  /** Compares the votes in the database with what users saw. */
  compare(found: ReadonlyMap<string, number[]>): void;
  /** What `compare` has found so far; a vote that was lost once stays lost. */
  tally(): Tally;
};

/** `castAt` is the time that was first read from the database; it must not change afterwards. */
type Ballot = { askedAt: number; acceptedAt: number | undefined; castAt: number | undefined };

/** `headersOf`: the headers that a proxy adds to the requests of a user. */
export function newCrowd(
  issuer: SessionIssuer,
  headersOf: (userId: string) => Record<string, string> = () => ({}),
): Crowd {
  const ballots = new Map<string, Ballot>();
  const lost = new Set<string>();
  const doubled = new Set<string>();
  const usersWhere = (holds: (ballot: Ballot) => boolean) =>
    [...ballots].filter(([, ballot]) => holds(ballot)).map(([userId]) => userId);
  const unanswered = () => usersWhere(({ acceptedAt }) => acceptedAt === undefined);
  const accepted = () => usersWhere(({ acceptedAt }) => acceptedAt !== undefined);

  async function vote(client: Client, userId: string, track: Track): Promise<boolean> {
    const session = await issuer.issue(userId);
    const ballot = ballots.get(userId) ?? { askedAt: Date.now(), acceptedAt: undefined, castAt: undefined };
    ballots.set(userId, ballot);
    const status = await track(
      castVote(client, GUILD, session, headersOf(userId)).then((answer) => answer.status),
    );
    if (status !== ACCEPTED) return false;
    ballot.acceptedAt ??= Date.now();
    return true;
  }

  return {
    startVoting(url) {
      const again = [...unanswered(), ...accepted().slice(-GREEDY)];
      return startWorkers(url, (client, track) => vote(client, again.pop() ?? newUserId(), track));
    },
    compare(found) {
      for (const [userId, ballot] of ballots) {
        const times = found.get(userId) ?? [];
        if (isLost(ballot, times)) lost.add(userId);
        ballot.castAt ??= times[0];
      }
      for (const userId of doubledUsers(found)) doubled.add(userId);
    },
    tally: () => ({
      votes: accepted().length,
      unanswered: unanswered().length,
      kept: usersWhere(({ castAt }) => castAt !== undefined).length,
      lost: lost.size,
      doubled: doubled.size,
    }),
  };
}

/** An accepted vote is stored with a time between request and response, and votes never disappear. */
function isLost({ askedAt, acceptedAt, castAt }: Ballot, times: readonly number[]): boolean {
  if (castAt !== undefined) return !times.includes(castAt);
  return acceptedAt !== undefined && !times.some((at) => at >= askedAt && at <= acceptedAt);
}

/** Tracks a request while it is pending, and then its status. */
type Track = (request: Promise<number>) => Promise<number>;

/** Until one of them is not accepted: then the server is stopping, and the others would fail too. */
function startWorkers(url: string, voteOnce: (client: Client, track: Track) => Promise<boolean>): Voting {
  const client = newClient(url);
  const waiting = new Set<Promise<number>>();
  const statuses: Record<string, number> = {};
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let isOver = false;
  const track: Track = async (request) => {
    const answer = request.catch(() => 0);
    waiting.add(answer);
    const status = await answer;
    waiting.delete(answer);
    statuses[status] = (statuses[status] ?? 0) + 1;
    return status;
  };
  const work = async () => {
    if (!(await voteOnce(client, track))) isOver = true;
    begin();
  };
  const workers = openConnections(client).then(() => inParallel(WORKERS, () => isOver, work));
  return {
    begun,
    underWay: () => [...waiting],
    end: async () => {
      isOver = true;
      client.close();
      await workers;
      return statuses;
    },
  };
}

/** Before anyone votes: a connection that is still in its handshake has not sent a request. */
async function openConnections(client: Client): Promise<void> {
  await Promise.all(Array.from({ length: WORKERS }, () => client.call('/healthz')));
}
