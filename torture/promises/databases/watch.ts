/**
 * Sends every kind of request repeatedly while the database fails, and checks every response against the contract.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Answer,
  castVote,
  inParallel,
  isWordedError,
  isWordedPage,
  newClient,
} from '../../lib/client.ts';
import type { Findings } from '../../lib/promise.ts';
import { newUserId, type SessionIssuer } from '../../lib/sessions.ts';
import { GUILD } from '../../lib/site.ts';

type Subject = 'check' | 'list' | 'page' | 'vote';
const SUBJECTS: readonly Subject[] = ['check', 'list', 'page', 'vote'];

/** How long each subject took to succeed again, and which failed at the first request. */
export type Return = { afterMs: number; failedFirst: Subject[] };

export type Watch = {
  /** Responses by subject and status, since the beginning. */
  answers: Record<string, number>;
  /** Users whose vote was confirmed. */
  accepted: Set<string>;
  /** Repeats requests for each subject until it succeeds, from now. */
  untilWell(): Promise<Return>;
  /** Resolves when a request has failed, from now. */
  untilFailing(): Promise<void>;
  /** Expects every request of the next period to succeed. */
  staysWell(forMs: number): Promise<void>;
  countRequests(): number;
  stop(): Promise<void>;
};

export type Watched = { url: string; keys: readonly string[]; issuer: SessionIssuer; findings: Findings };

const WORKERS_EACH = 2;
const BETWEEN_MS = 40;
const PATIENCE_MS = 30_000;

export function watch(watched: Watched): Watch {
  const { findings } = watched;
  const visitor = newVisitor(watched);
  const answers: Record<string, number> = {};
  let requests = 0;
  let failures = 0;
  let isOver = false;
  let mustBeWell = false;

  /** Whether it succeeded. */
  const visit = async (subject: Subject): Promise<boolean> => {
    const mustHaveBeenWell = mustBeWell;
    requests += 1;
    const answer = await visitor.ask(subject).catch((error: unknown) => {
      findings.expect(false, `no answer to a ${subject}: ${String(error)}`);
    });
    if (!answer) return false;
    const name = `${subject} ${answer.status}`;
    answers[name] = (answers[name] ?? 0) + 1;
    const isWell = isWellAnswered(subject, answer);
    if (!isWell) {
      failures += 1;
      findings.expect(isWorded(subject, answer), `a ${name} was ${answer.text.slice(0, 200)}`);
      findings.expect(!(mustHaveBeenWell && mustBeWell), `a ${name} came after the service was back`);
    }
    return isWell;
  };

  const workers = SUBJECTS.map((subject) =>
    inParallel(
      WORKERS_EACH,
      () => isOver,
      async () => {
        await visit(subject);
        await pause(BETWEEN_MS);
      },
    ),
  );

  const untilSubjectWell = async (subject: Subject): Promise<Return> => {
    const start = performance.now();
    const failedFirst: Subject[] = [];
    while (!(await visit(subject)) && performance.now() - start < PATIENCE_MS) failedFirst[0] = subject;
    return { afterMs: Math.round(performance.now() - start), failedFirst };
  };

  return {
    answers,
    accepted: visitor.accepted,
    untilWell: async () => {
      const returns = await Promise.all(SUBJECTS.map(untilSubjectWell));
      return {
        afterMs: Math.max(...returns.map(({ afterMs }) => afterMs)),
        failedFirst: returns.flatMap(({ failedFirst }) => failedFirst),
      };
    },
    untilFailing: async () => {
      const before = failures;
      for (const start = performance.now(); failures === before; await pause(5)) {
        if (performance.now() - start < PATIENCE_MS) continue;
        return findings.expect(false, `nothing failed within ${PATIENCE_MS} ms`);
      }
    },
    staysWell: async (forMs) => {
      mustBeWell = true;
      await pause(forMs);
      mustBeWell = false;
    },
    countRequests: () => requests,
    stop: async () => {
      isOver = true;
      await Promise.all(workers);
      visitor.close();
    },
  };
}

/** Votes of new users, of users whose vote failed, and occasionally of users who have voted. */
function newVisitor({ url, keys, issuer }: Watched) {
  const client = newClient(url);
  const accepted = new Set<string>();
  const again: string[] = [];
  let asked = 0;

  const vote = async (headers: Record<string, string>): Promise<Answer> => {
    const userId = again.shift() ?? newUserId();
    const answer = await castVote(client, GUILD, await issuer.issue(userId), headers);
    if (answer.status === 303) accepted.add(userId);
    if (answer.status !== 303 || asked % 5 === 0) again.push(userId);
    return answer;
  };

  return {
    accepted,
    close: () => client.close(),
    ask: (subject: Subject): Promise<Answer> => {
      asked += 1;
      const headers = headersOf(asked);
      const withKey = { ...headers, 'x-api-token': keys[asked % keys.length] ?? '' };
      switch (subject) {
        case 'check':
          return client.call('/v7/vote-check?discord_id=200000000000000001', { headers: withKey });
        case 'list':
          return client.call('/v7/guild/votes', { headers: withKey });
        case 'page':
          return client.call(`/guild/${GUILD}/vote`, { headers });
        case 'vote':
          return vote(headers);
      }
    },
  };
}

/**
 * Like a proxy with many clients: without the database the key cannot be identified, so the client's address is
 * limited.
 */
function headersOf(n: number): Record<string, string> {
  return {
    'x-forwarded-proto': 'https',
    'x-forwarded-for': `10.${n & 255}.${(n >> 8) & 255}.${(n >> 16) & 255}`,
  };
}

function isWellAnswered(subject: Subject, { status, text, headers }: Answer): boolean {
  switch (subject) {
    case 'check':
    case 'list':
      return (
        status === 200 &&
        headers['content-type'] === 'application/json; charset=utf-8' &&
        text.includes('"ok":true')
      );
    case 'page':
      return status === 200 && String(headers['content-type']).startsWith('text/html');
    case 'vote':
      return status === 303 && headers.location === `/guild/${GUILD}/vote`;
  }
}

function isWorded(subject: Subject, answer: Answer): boolean {
  return subject === 'check' || subject === 'list' ? isWordedError(answer) : isWordedPage(answer);
}
