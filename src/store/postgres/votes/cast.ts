import { isBanned } from '../../../domain/votes/bans.ts';
import { MARK_BITS } from '../../../domain/votes/marks.ts';
import { hourOf, monthOf } from '../../../domain/votes/period.ts';
import { nameKeyOf } from '../../../domain/votes/vote.ts';
import { type BanRow, toBan } from '../../moderation/bans.ts';
import { type Sum, sumBy } from '../../moderation/voiding.ts';
import { UnknownGuildError } from '../../store.ts';
import { type Cast, type CastOutcome, countedNetworks } from '../../votes/votes.ts';
import { arrayOf, columnsOf } from '../columns.ts';
import type { Queryable, Statement, Transaction } from '../connection/connection.ts';
import { isUniqueViolation } from '../connection/failures.ts';
import { PlainGroups } from '../plain-groups.ts';
import type { Outcome } from '../write-groups.ts';
import { CAST_STATEMENTS } from './cast-statements.ts';
import { enterNetworks } from './enter-networks.ts';
import {
  type AcceptedVote,
  type FollowUpsOfGuild,
  followUp,
  hasFollowUps,
  type MonthSum,
} from './follow-ups.ts';

/** What concurrent votes wait for: votes that share one cannot be in one group. */
export function castKeys({ vote: { guildId, userId }, evidence: { network } }: Cast): string[] {
  const networks = network ? countedNetworks(network).map(({ hash }) => `network ${hash}`) : [];
  return [`voter ${guildId} ${userId}`, ...networks];
}

type CastGroup = (tx: Transaction, casts: readonly Cast[]) => Promise<Outcome<CastOutcome>[]>;

/**
 * Casts votes of which no two share a key of `castKeys`: the transaction that advances the cooldown row casts the vote;
 * all others are refused. Usually all are accepted, and nothing else depends on them: then one message with one statement
 * and `COMMIT` is enough.
 */
export function createCastGroups(plain = new PlainGroups()): CastGroup {
  return async (tx, casts) => {
    if (plain.isExpected()) {
      const isCast = await castAtOnce(tx, casts);
      plain.noteAttempt(isCast);
      if (isCast) return casts.map(accept);
    }
    const { outcomes, isPlain } = await castInSteps(tx, casts);
    plain.noteSteps(isPlain);
    return outcomes;
  };
}

function accept({ vote }: Cast): Outcome<CastOutcome> {
  return { result: { kind: 'accepted', vote } };
}

/** Commits, and resolves to true, if all votes are accepted and nothing else depends on them. */
async function castAtOnce(tx: Transaction, casts: readonly Cast[]): Promise<boolean> {
  const networks = await countAccounts(tx, casts);
  // Such a vote is refused, so the group is cast in steps, in the same transaction.
  if (casts.some(networks.isCrowded)) return false;
  const guilds = [...Map.groupBy(casts, ({ vote }) => vote.guildId)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, casts]) => casts);
  return tx.commitWith([
    ...statementOf('castAll', insertedColumns(guilds, networks)),
    ...followingStatements(casts),
  ]);
}

type Networks = { accounts: ReadonlyMap<Cast, number>; isCrowded(cast: Cast): boolean };

async function countAccounts(tx: Transaction, casts: readonly Cast[]): Promise<Networks> {
  const accounts = await enterNetworks(tx, casts);
  const isCrowded = (cast: Cast) =>
    cast.evidence.network !== null && (accounts.get(cast) ?? 0) > cast.evidence.network.maxAccounts;
  return { accounts, isCrowded };
}

type Steps = { outcomes: Outcome<CastOutcome>[]; isPlain: boolean };

async function castInSteps(tx: Transaction, casts: readonly Cast[]): Promise<Steps> {
  const networks = await countAccounts(tx, casts);
  const accepted = await claimCooldowns(
    tx,
    casts.filter((cast) => !networks.isCrowded(cast)),
  );
  const isAccepted = new Set(accepted.flatMap(({ casts }) => casts));
  const refused = casts.filter((cast) => !isAccepted.has(cast));
  const followed = accepted.filter(({ guild }) => hasFollowUps(guild)).flatMap(numbered);
  const [sums, , refusals] = await Promise.all([
    writeVotes(tx, accepted, networks),
    Promise.all(followingStatements([...isAccepted]).map((statement) => tx.query(statement))),
    explainRefusals(tx, refused, networks.isCrowded),
    // Usually, nothing else depends on these votes.
    followed.length > 0 ? undefined : tx.commit(),
  ]);
  if (followed.length > 0) await followUp(tx, followed, sums);
  return {
    outcomes: casts.map((cast) => refusals.get(cast) ?? accept(cast)),
    isPlain: refused.length === 0 && followed.length === 0,
  };
}

/** The result of a vote that cannot be stored. Only an import of future votes can have written it before. */
export function refuseExisting({ vote }: Cast, error: unknown): CastOutcome | undefined {
  return isUniqueViolation(error, 'votes_pkey') ? { kind: 'cooldown', lastVoteAt: vote.castAt } : undefined;
}

type GuildRow = FollowUpsOfGuild & { guild_id: string; user_id: null; last_seq: number };
type VoteRow = { guild_id: string; user_id: string };

/** The votes of a guild, in the order of their numbers. */
type VotesOfGuild = { guild: GuildRow; casts: readonly Cast[] };

const voterName = (guildId: string, userId: string) => `${guildId} ${userId}`;

/** The votes that are accepted, in the order of their guilds. */
async function claimCooldowns(tx: Queryable, casts: readonly Cast[]): Promise<VotesOfGuild[]> {
  const asked = casts.map(({ vote: { guildId, userId, castAt } }) => [guildId, castAt, userId]);
  const rows = await execute<GuildRow | VoteRow>(tx, 'claim', ...columnsOf(asked));
  const voters = new Set(
    rows.flatMap((row) => (row.user_id === null ? [] : [voterName(row.guild_id, row.user_id)])),
  );
  const isClaimed = ({ vote: { guildId, userId } }: Cast) =>
    voters.size === 0 || voters.has(voterName(guildId, userId));
  const claimed = Map.groupBy(casts.filter(isClaimed), ({ vote }) => vote.guildId);
  return rows.flatMap((guild) =>
    guild.user_id === null ? [{ guild, casts: claimed.get(guild.guild_id) ?? [] }] : [],
  );
}

function numbered({ guild, casts }: VotesOfGuild): AcceptedVote[] {
  return casts.map(({ vote }, i) => ({ vote, guild, seq: guild.last_seq + placeOf(casts, i) }));
}

/** 0 for the last vote of a guild, -1 for the one before. */
function placeOf(casts: readonly Cast[], i: number): number {
  return i + 1 - casts.length;
}

/** Writes votes in the order of their guilds, and returns the sums of the months of guilds with endpoints. */
async function writeVotes(
  tx: Queryable,
  accepted: readonly VotesOfGuild[],
  networks: Networks,
): Promise<MonthSum[]> {
  if (accepted.length === 0) return [];
  const columns = insertedColumns(
    accepted.map(({ casts }) => casts),
    networks,
  );
  const lastSeqs = accepted.map(({ guild }) => guild.last_seq);
  const summed = accepted.flatMap(({ guild }) => (guild.subscriptions.length > 0 ? [guild.guild_id] : []));
  return execute<MonthSum>(tx, 'insert', ...columns, arrayOf(lastSeqs), arrayOf(summed));
}

/** The votes of each guild, their hours and their months, as the statements insert them. */
function insertedColumns(guilds: readonly (readonly Cast[])[], networks: Networks): unknown[] {
  const votes = guilds.flatMap((casts, guild) =>
    casts.map((cast, i) => {
      const { guildId, castAt, userId, externalId, isDoubled } = cast.vote;
      const { network } = cast.evidence;
      const name = [externalId, nameKeyOf(cast.vote), isDoubled || null];
      const number = [guild + 1, placeOf(casts, i)];
      return [
        guildId,
        castAt,
        userId,
        ...name,
        ...number,
        network?.hash ?? null,
        marksOf(cast, networks) || null,
      ];
    }),
  );
  const hours = sumEach(guilds, hourOf).map(({ guildId, guild, start, votes, doubled, firstSeq }) => [
    ...[guildId, start, votes, doubled || null, guild + 1, firstSeq],
  ]);
  const months = sumEach(guilds, monthOf).map(({ guildId, start, votes, doubled }) => [
    ...[guildId, start, votes, doubled || null],
  ]);
  return [...columnsOf(votes), ...columnsOf(hours), ...columnsOf(months)];
}

/** `firstSeq`: the place of the first vote. */
function sumEach(
  guilds: readonly (readonly Cast[])[],
  startOf: typeof hourOf,
): (Sum & { guildId: string; guild: number })[] {
  return guilds.flatMap((casts, guild) => {
    const places = casts.map(({ vote: { castAt, isDoubled } }, i) => ({
      castAt,
      isDoubled,
      seq: placeOf(casts, i),
    }));
    const guildId = casts[0]?.vote.guildId ?? '';
    return sumBy(startOf, places).map((sum) => ({ ...sum, guildId, guild }));
  });
}

/** The marks that are known before the votes are stored. */
function marksOf(cast: Cast, networks: Networks): number {
  const { network, marks } = cast.evidence;
  const isBusy = network !== null && (networks.accounts.get(cast) ?? 0) >= network.busyFrom;
  return marks | (isBusy ? MARK_BITS.busy_network : 0);
}

/** Statements that see what was stored while the insertion waited. */
function followingStatements(casts: readonly Cast[]): Statement[] {
  const rowOf = ({ vote: { guildId, castAt, userId } }: Cast) => [guildId, castAt, userId];
  const named = casts.filter(({ vote }) => nameKeyOf(vote) !== null);
  return [
    ...statementOf('remind', columnsOf(casts.map(rowOf))),
    ...statementOf('markShared', columnsOf(named.map(rowOf))),
  ];
}

type ReasonRow = (BanRow | { user_id: null }) & { last_vote_at: number | null };

async function explainRefusals(
  tx: Queryable,
  casts: readonly Cast[],
  isCrowded: (cast: Cast) => boolean,
): Promise<Map<Cast, Outcome<CastOutcome>>> {
  const values = casts.map(({ vote: { guildId, userId } }) => [guildId, userId]);
  const rows = await execute<ReasonRow>(tx, 'explain', ...columnsOf(values));
  return new Map(casts.map((cast, i) => [cast, refusalOf(cast, rows[i], isCrowded(cast))]));
}

function refusalOf({ vote }: Cast, row: ReasonRow | undefined, isCrowded: boolean): Outcome<CastOutcome> {
  const ban = row && row.user_id !== null ? toBan(row) : undefined;
  if (ban && isBanned(ban, vote.castAt)) return { result: { kind: 'banned', ban } };
  if (isCrowded) return { result: { kind: 'crowded' } };
  const lastVoteAt = row?.last_vote_at ?? null;
  if (lastVoteAt === null) return { error: new UnknownGuildError(vote.guildId) };
  return { result: { kind: 'cooldown', lastVoteAt } };
}

/** One parameter for each column; no statement without rows. */
function statementOf(name: keyof typeof CAST_STATEMENTS, values: unknown[]): Statement[] {
  return values.length === 0 ? [] : [{ name: `cast-${name}`, text: CAST_STATEMENTS[name], values }];
}

async function execute<R extends object>(
  tx: Queryable,
  name: keyof typeof CAST_STATEMENTS,
  ...values: unknown[]
): Promise<R[]> {
  const [statement] = statementOf(name, values);
  return statement ? (await tx.query<R>(statement)).rows : [];
}
