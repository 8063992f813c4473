import { isActive } from '../../domain/guild.ts';
import { type GuildRow, toGuild } from '../rows.ts';
import type { Admission, AdmissionQuestion } from '../store.ts';
import { ADMIT } from './admit-query.ts';
import type { Queryable } from './connection.ts';
import type { PostgresRateStore } from './rates.ts';

/** More than this are more statements: none gets long, and each has a connection of its own. */
const MAX_TOGETHER = 100;

type Waiting = {
  question: AdmissionQuestion;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
};

type AdmissionRow = { [Column in keyof GuildRow]: GuildRow[Column] | null } & {
  hits: number;
  resets_at: number;
  vote_cast_at: number | null;
  vote_is_doubled: boolean | null;
};

/**
 * `admit` of the store. What is asked in one go, as a server asks that answers many requests in a turn of the event
 * loop, becomes one statement: waking a backend and being woken by it costs both sides more than the answer.
 */
export function createAdmit(
  database: Queryable,
  rates: PostgresRateStore,
): (question: AdmissionQuestion) => Promise<Admission> | undefined {
  let waiting: Waiting[] = [];

  async function ask(): Promise<void> {
    const asked = waiting;
    waiting = [];
    if (asked.length === 0) return;
    try {
      const values = valuesOf(asked.map(({ question }) => question));
      const { rows } = await database.query<AdmissionRow>({ name: 'admit', text: ADMIT, values });
      // Rows and questions belong together by their place, so all of them must be there.
      if (rows.length !== asked.length) throw new Error('the database did not answer every question');
      const admissions = toAdmissions(asked, rows);
      for (const [i, { question, resolve }] of asked.entries()) {
        const admission = admissions[i];
        if (!admission) continue;
        rates.noteWindow(callerOf(question, admission), admission.window, question.limit, question.now);
        resolve(admission);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  return (question) => {
    // Of a caller that may be above its limit, the counter is left alone: the ordinary way knows when.
    if (rates.isBlocked(question.caller, question.now) || rates.isBlocked(question.otherCaller, question.now))
      return undefined;
    if (waiting.length === MAX_TOGETHER || !fitsTogether(waiting[0], question)) ask();
    const { promise, resolve, reject } = Promise.withResolvers<Admission>();
    if (waiting.push({ question, resolve, reject }) === 1) queueMicrotask(ask);
    return promise;
  };
}

/** The statement has one length of windows for all. */
function fitsTogether(first: Waiting | undefined, { limit }: AdmissionQuestion): boolean {
  return first === undefined || first.question.limit.windowMs === limit.windowMs;
}

/** Column by column, as the statement takes them. */
function valuesOf(questions: AdmissionQuestion[]): unknown[] {
  return [
    questions.map(({ keyHash }) => keyHash),
    questions.map(({ caller }) => caller),
    questions.map(({ otherCaller }) => otherCaller),
    questions.map(({ now, limit }) => now + limit.windowMs),
    questions.map(({ sought }) => (sought && 'userId' in sought ? sought.userId : null)),
    questions.map(({ sought }) => (sought && 'externalId' in sought ? sought.externalId : null)),
    questions.map(({ sought }) => sought?.window.after ?? null),
    questions.map(({ sought }) => sought?.window.until ?? null),
    questions[0]?.limit.windowMs,
  ];
}

/** The statement counts all requests of one caller at once: here each gets its own place in that count. */
function toAdmissions(asked: Waiting[], rows: AdmissionRow[]): Admission[] {
  const admissions = rows.map(toAdmission);
  const behind = new Map<string, number>();
  for (const [i, admission] of [...admissions.entries()].reverse()) {
    const question = asked[i]?.question;
    if (!question) continue;
    const caller = callerOf(question, admission);
    const later = behind.get(caller) ?? 0;
    admission.window.hits -= later;
    behind.set(caller, later + 1);
  }
  return admissions;
}

function callerOf({ caller, otherCaller }: AdmissionQuestion, { guild }: Admission): string {
  return guild && isActive(guild) ? caller : otherCaller;
}

function toAdmission(row: AdmissionRow): Admission {
  return {
    guild: isGuildRow(row) ? toGuild(row) : undefined,
    window: { hits: row.hits, resetsAt: row.resets_at },
    vote:
      row.vote_cast_at === null
        ? undefined
        : { castAt: row.vote_cast_at, isDoubled: row.vote_is_doubled === true },
  };
}

function isGuildRow(row: object): row is GuildRow {
  return 'guild_id' in row && row.guild_id !== null;
}
