import type { Instant } from '../../../domain/clock.ts';
import { MARK_BITS } from '../../../domain/votes/marks.ts';
import { lastUsedPeriod, NETWORK_WINDOW_MS, oldestKeptNetwork } from '../../../domain/votes/networks.ts';
import {
  type HourlyVotes,
  type IntegrityStore,
  type LinkSecretsRow,
  MAX_EXAMINED,
  MAX_NAMES,
  MAX_SUMMED,
  type MarkedDay,
  type MarkedReader,
  type RulesRow,
  type ScannedVote,
  scanMarked,
  toLinkSecrets,
  toRules,
  type UnusualStore,
} from '../../moderation/integrity.ts';
import type { Queryable, Statement } from '../connection/connection.ts';
import { toVote, type VoteRow } from '../votes/votes.ts';

const SQL = {
  // The primary key.
  rules: 'SELECT min_account_age_days, members_only, signed_links_only FROM guild_rules WHERE guild_id = $1',
  linkSecrets: `
    SELECT link_secret, previous_link_secret, previous_link_secret_until FROM guild_rules
    WHERE guild_id = $1 AND link_secret IS NOT NULL`,
  setRules: `
    INSERT INTO guild_rules (guild_id, min_account_age_days, members_only, signed_links_only)
    SELECT guild_id, $2, $3, $4 FROM guilds WHERE guild_id = $1
    ON CONFLICT (guild_id) DO UPDATE SET min_account_age_days = excluded.min_account_age_days,
      members_only = excluded.members_only, signed_links_only = excluded.signed_links_only`,
  setLinkSecrets: `
    INSERT INTO guild_rules (guild_id, link_secret, previous_link_secret, previous_link_secret_until)
    SELECT guild_id, $2, $3, $4 FROM guilds WHERE guild_id = $1
    ON CONFLICT (guild_id) DO UPDATE SET link_secret = excluded.link_secret,
      previous_link_secret = excluded.previous_link_secret,
      previous_link_secret_until = excluded.previous_link_secret_until`,
  addSalt: 'INSERT INTO network_keys (period, salt) VALUES ($1, $2) ON CONFLICT DO NOTHING',
  salt: 'SELECT salt FROM network_keys WHERE period = $1',
  // The primary key. Expired entries stay in the row until the next vote from the network.
  networkUsage: `
    SELECT value::bigint AS at FROM network_accounts, jsonb_each_text(accounts)
    WHERE network = $1 AND key <> $2 AND value::bigint > $3::bigint
    ORDER BY at`,
  useChallenge: `
    INSERT INTO used_challenges (guild_id, challenge_id, expires_at)
    SELECT guild_id, $2, $3 FROM guilds WHERE guild_id = $1 ON CONFLICT DO NOTHING`,
  // A small table: it contains challenges solved within their lifetime.
  pruneChallenges: `
    DELETE FROM used_challenges WHERE (guild_id, challenge_id) IN (
      SELECT guild_id, challenge_id FROM used_challenges WHERE expires_at <= $1 LIMIT $2)`,
  pruneSalts: 'DELETE FROM network_keys WHERE period < $1',
  // Skips rows that are locked by a vote, to avoid a deadlock.
  pruneAccounts: `
    DELETE FROM network_accounts WHERE network IN (
      SELECT network FROM network_accounts WHERE resets_at <= $1 FOR UPDATE SKIP LOCKED LIMIT $2)`,
  // Index votes_by_network, once per guild.
  pruneNetworks: `
    UPDATE votes SET network = NULL WHERE (guild_id, cast_at, user_id) IN (
      SELECT old.guild_id, old.cast_at, old.user_id FROM guilds CROSS JOIN LATERAL (
        SELECT votes.guild_id, votes.cast_at, votes.user_id FROM votes
        WHERE votes.guild_id = guilds.guild_id AND votes.network < $1 LIMIT $2) AS old
      LIMIT $2)`,
} as const;

export function createIntegrityStore(database: Queryable): IntegrityStore {
  async function first<Row extends object>(statement: Statement): Promise<Row | undefined> {
    return (await database.query<Row>(statement)).rows[0];
  }

  async function change(text: string, ...values: unknown[]): Promise<number> {
    return (await database.query({ text, values })).rowCount ?? 0;
  }

  return {
    async rules(guildId) {
      return toRules(await first<RulesRow>({ name: 'guild-rules', text: SQL.rules, values: [guildId] }));
    },
    async setRules(guildId, { minAccountAgeDays, membersOnly, signedLinksOnly }) {
      return (await change(SQL.setRules, guildId, minAccountAgeDays, membersOnly, signedLinksOnly)) > 0;
    },
    async linkSecrets(guildId) {
      return toLinkSecrets(await first<LinkSecretsRow>({ text: SQL.linkSecrets, values: [guildId] }));
    },
    async setLinkSecrets(guildId, { current, previous, previousUntil }) {
      return (await change(SQL.setLinkSecrets, guildId, current, previous, previousUntil)) > 0;
    },
    async networkSalt(period, offered) {
      await change(SQL.addSalt, period, offered);
      return (await first<{ salt: string }>({ text: SQL.salt, values: [period] }))?.salt ?? offered;
    },
    async networkUsage(network, userId, now) {
      const values = [network, userId, now - NETWORK_WINDOW_MS];
      const statement = { name: 'network-usage', text: SQL.networkUsage, values };
      const { rows } = await database.query<{ at: Instant }>(statement);
      return { otherVotes: rows.map(({ at }) => at) };
    },
    async useChallenge(guildId, challengeId, expiresAt) {
      return (await change(SQL.useChallenge, guildId, challengeId, expiresAt)) > 0;
    },
    async prune(now, limit) {
      await change(SQL.pruneSalts, lastUsedPeriod(now));
      return Math.max(
        await change(SQL.pruneChallenges, now, limit),
        await change(SQL.pruneAccounts, now, limit),
        await change(SQL.pruneNetworks, oldestKeptNetwork(now), limit),
      );
    },
  };
}

/** The newest marked votes of the guild. */
const NEWEST = (columns: string) => `
  SELECT ${columns} FROM votes WHERE guild_id = $1 AND marks <> 0 AND cast_at >= $2
  ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_SUMMED}`;

/** The newest votes with this mark; others are skipped in the index. */
const EXAMINED = (mark: keyof typeof MARK_BITS) => `
  (SELECT cast_at, user_id FROM (${NEWEST('cast_at, user_id, marks')}) AS newest
   WHERE marks & ${MARK_BITS[mark]} <> 0 LIMIT ${MAX_EXAMINED}) AS examined
  CROSS JOIN LATERAL (
    SELECT external_id, name_key, network FROM votes
    WHERE votes.guild_id = $1 AND votes.cast_at = examined.cast_at AND votes.user_id = examined.user_id LIMIT 1
  ) AS vote`;

const sumOf = (mark: keyof typeof MARK_BITS) =>
  `count(*) FILTER (WHERE marks & ${MARK_BITS[mark]} <> 0) AS ${mark}`;

/** Each query names its index; a test checks the query plans. */
export const UNUSUAL_QUERIES = {
  // Index votes_marked_by_time only, read backwards.
  scan: `
    SELECT * FROM (
      SELECT guild_id AS "guildId", user_id AS "userId", cast_at AS "castAt", marks AS bits,
        row_number() OVER () AS place
      FROM (
        SELECT guild_id, user_id, cast_at, marks FROM votes
        WHERE marks > 0 AND (cast_at, guild_id, user_id) < ($1, $2, $3)
        ORDER BY cast_at DESC, guild_id DESC, user_id DESC LIMIT $4
      ) AS newest
    ) AS scanned WHERE bits & $5 <> 0 OR place = $4 ORDER BY place`,
  // The primary key, or votes_by_user: both find one vote each.
  marked: `
    SELECT votes.guild_id, votes.user_id, votes.cast_at, external_id, is_doubled, marks
    FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS asked (guild_id, cast_at, user_id, place)
    JOIN votes USING (guild_id, cast_at, user_id) ORDER BY place`,
  // Index votes_marked.
  days: `
    SELECT cast_at - (cast_at % 86400000 + 86400000) % 86400000 AS day,
      ${sumOf('young_account')}, ${sumOf('busy_network')}, ${sumOf('shared_name')}
    FROM (${NEWEST('cast_at, marks')}) AS newest GROUP BY day ORDER BY day`,
  // Index votes_marked, then the primary key or votes_by_user for each vote that counts.
  sharedNames: `
    SELECT min(external_id) AS name, count(*) AS votes FROM ${EXAMINED('shared_name')}
    GROUP BY name_key ORDER BY votes DESC, name LIMIT ${MAX_NAMES}`,
  // The same.
  busyNetworks: `SELECT count(DISTINCT network) AS networks FROM ${EXAMINED('busy_network')}`,
  // The primary key of hourly_votes.
  hourly:
    'SELECT hour, votes, doubled FROM hourly_votes WHERE guild_id = $1 AND hour >= $2 AND hour < $3 ORDER BY hour',
} as const;

export function createUnusualStore(database: Queryable): UnusualStore {
  async function read<Row extends object>(
    name: keyof typeof UNUSUAL_QUERIES,
    ...values: unknown[]
  ): Promise<Row[]> {
    const statement = { name: `unusual-${name}`, text: UNUSUAL_QUERIES[name], values };
    return (await database.query<Row>(statement)).rows;
  }

  const reader: MarkedReader = {
    scan: ({ before, bits, limit }) =>
      read<ScannedVote>('scan', before.castAt, before.guildId, before.userId, limit, bits),
    async load(positions) {
      const columns = [
        positions.map(({ guildId }) => guildId),
        positions.map(({ castAt }) => castAt),
        positions.map(({ userId }) => userId),
      ];
      const rows = await read<VoteRow & { marks: number }>('marked', ...columns);
      return rows.map((row) => ({ ...toVote(row), bits: row.marks }));
    },
  };

  return {
    list: (mark, before, limit) => scanMarked(reader, mark, before, limit),
    async summarize(guildId, from) {
      const [days, sharedNames, [busy]] = await Promise.all([
        read<MarkedDay>('days', guildId, from),
        read<{ name: string; votes: number }>('sharedNames', guildId, from),
        read<{ networks: number }>('busyNetworks', guildId, from),
      ]);
      return { days, sharedNames, busyNetworks: busy?.networks ?? 0 };
    },
    hourly: (guildId, { from, to }) => read<HourlyVotes>('hourly', guildId, from, to),
  };
}
