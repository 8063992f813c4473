import type { RateWindow } from '../../domain/rate-window.ts';
import { type GuildRow, toGuild } from '../rows.ts';
import type { Admission, AdmissionQuestion } from '../store.ts';
import type { Queryable } from './connection.ts';
import { GUILD_COLUMNS } from './guilds.ts';
import { HIT, type PostgresRateStore } from './rates.ts';

/** Each part is answered from an index: guilds_by_key_hash, the primary key of rate_windows, and the one named. */
function admitSql(latest: string): string {
  return `
    WITH found AS (SELECT ${GUILD_COLUMNS} FROM guilds WHERE key_hash = $4),
    counted AS (${HIT(`SELECT CASE WHEN EXISTS (SELECT FROM found WHERE sanctioned_at IS NULL) THEN $1 ELSE $5 END`)})
    SELECT counted.hits, counted.resets_at, found.*, vote.cast_at AS vote_cast_at, vote.is_doubled AS vote_is_doubled
    FROM counted LEFT JOIN found ON true LEFT JOIN LATERAL (${latest}) AS vote ON true`;
}

const LATEST = (column: string) => `
    SELECT cast_at, is_doubled FROM votes
    WHERE guild_id = found.guild_id AND ${column} = $6 AND cast_at > $7 AND cast_at <= $8
    ORDER BY cast_at DESC, user_id DESC LIMIT 1`;

export const ADMIT_QUERIES = {
  // Index votes_by_user, read from its end.
  admitForUser: admitSql(LATEST('user_id')),
  // Index votes_by_external_id, read from its end.
  admitForExternalId: admitSql(LATEST('external_id')),
  admit: admitSql('SELECT NULL::bigint AS cast_at, false AS is_doubled'),
} as const;

type AdmissionRow = { hits: number; resets_at: number } & {
  [Column in keyof GuildRow]: GuildRow[Column] | null;
} & {
  vote_cast_at: number | null;
  vote_is_doubled: boolean | null;
};

/** `admit` of the store: one statement, where three would wait for the network one after another. */
export function createAdmit(
  database: Queryable,
  rates: PostgresRateStore,
): (question: AdmissionQuestion) => Promise<Admission> | undefined {
  async function ask(question: AdmissionQuestion): Promise<Admission> {
    const { limit, now, sought } = question;
    const name = !sought ? 'admit' : 'userId' in sought ? 'admitForUser' : 'admitForExternalId';
    const values = [question.caller, now, limit.windowMs, question.keyHash, question.otherCaller];
    if (sought) {
      values.push(
        'userId' in sought ? sought.userId : sought.externalId,
        sought.window.after,
        sought.window.until,
      );
    }
    const { rows } = await database.query<AdmissionRow>({ name, text: ADMIT_QUERIES[name], values });
    const [row] = rows;
    if (!row) throw new Error('the counter gave no row');
    const admission = toAdmission(row);
    const isCaller = admission.guild !== undefined && admission.guild.sanction === null;
    rates.noteWindow(isCaller ? question.caller : question.otherCaller, admission.window, limit, now);
    return admission;
  }

  // Of a caller that may be above its limit, the counter is left alone: the ordinary way knows when.
  return (question) =>
    rates.isBlocked(question.caller, question.now) || rates.isBlocked(question.otherCaller, question.now)
      ? undefined
      : ask(question);
}

function toAdmission(row: AdmissionRow): Admission {
  const window: RateWindow = { hits: row.hits, resetsAt: row.resets_at };
  const guild = isGuildRow(row) ? toGuild(row) : undefined;
  const vote =
    row.vote_cast_at === null
      ? undefined
      : { castAt: row.vote_cast_at, isDoubled: row.vote_is_doubled === true };
  return { guild, window, vote };
}

function isGuildRow(row: object): row is GuildRow {
  return 'guild_id' in row && row.guild_id !== null;
}
