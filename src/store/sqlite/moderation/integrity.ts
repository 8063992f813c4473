import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Instant } from '../../../domain/clock.ts';
import { MARK_BITS } from '../../../domain/votes/marks.ts';
import { lastUsedPeriod, oldestKeptNetwork } from '../../../domain/votes/networks.ts';
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
import type { MemoryNetworks } from '../../rates.ts';
import type { Connection, Connections } from '../connection.ts';
import { toVote, type VoteRow } from '../queries.ts';

export function createIntegrityStore(database: Connections, networks: MemoryNetworks): IntegrityStore {
  const read = prepareReads(database.reader);
  const write = prepareWrites(database.writer);
  return {
    async rules(guildId) {
      return toRules(read.rules.get(guildId));
    },
    setRules: (guildId, { minAccountAgeDays, membersOnly, signedLinksOnly }) =>
      database.write(
        () =>
          write.setRules.run(minAccountAgeDays, Number(membersOnly), Number(signedLinksOnly), guildId)
            .changes > 0,
      ),
    async linkSecrets(guildId) {
      return toLinkSecrets(read.linkSecrets.get(guildId));
    },
    setLinkSecrets: (guildId, { current, previous, previousUntil }) =>
      database.write(() => write.setLinkSecrets.run(current, previous, previousUntil, guildId).changes > 0),
    async networkSalt(period, offered) {
      const kept = read.salt.get(period);
      if (kept) return kept.salt;
      await database.write(() => write.addSalt.run(period, offered));
      return read.salt.get(period)?.salt ?? offered;
    },
    async networkUsage(network, userId, now) {
      return networks.usage(network, userId, now);
    },
    useChallenge: (guildId, challengeId, expiresAt) =>
      database.write(() => write.useChallenge.run(challengeId, expiresAt, guildId).changes > 0),
    prune: (now, limit) =>
      database.transaction(() => {
        const challenges = write.pruneChallenges.run(now, limit).changes;
        write.pruneSalts.run(lastUsedPeriod(now));
        return Math.max(challenges, write.pruneNetworks.run(oldestKeptNetwork(now), limit).changes);
      }),
  };
}

function prepareReads(db: Connection) {
  return {
    // The primary key.
    rules: db.prepare<[string], RulesRow>(
      'SELECT min_account_age_days, members_only, signed_links_only FROM guild_rules WHERE guild_id = ?',
    ),
    linkSecrets: db.prepare<[string], LinkSecretsRow>(
      `SELECT link_secret, previous_link_secret, previous_link_secret_until FROM guild_rules
       WHERE guild_id = ? AND link_secret IS NOT NULL`,
    ),
    salt: db.prepare<[number], { salt: string }>('SELECT salt FROM network_keys WHERE period = ?'),
  };
}

function prepareWrites(db: Connection) {
  return {
    setRules: db.prepare(
      `INSERT INTO guild_rules (min_account_age_days, members_only, signed_links_only, guild_id)
       SELECT ?, ?, ?, guild_id FROM guilds WHERE guild_id = ?
       ON CONFLICT (guild_id) DO UPDATE SET min_account_age_days = excluded.min_account_age_days,
         members_only = excluded.members_only, signed_links_only = excluded.signed_links_only`,
    ),
    setLinkSecrets: db.prepare(
      `INSERT INTO guild_rules (link_secret, previous_link_secret, previous_link_secret_until, guild_id)
       SELECT ?, ?, ?, guild_id FROM guilds WHERE guild_id = ?
       ON CONFLICT (guild_id) DO UPDATE SET link_secret = excluded.link_secret,
         previous_link_secret = excluded.previous_link_secret,
         previous_link_secret_until = excluded.previous_link_secret_until`,
    ),
    addSalt: db.prepare('INSERT INTO network_keys (period, salt) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    useChallenge: db.prepare(
      `INSERT INTO used_challenges (challenge_id, expires_at, guild_id)
       SELECT ?, ?, guild_id FROM guilds WHERE guild_id = ? ON CONFLICT DO NOTHING`,
    ),
    // A small table: it contains challenges solved within their lifetime.
    pruneChallenges: db.prepare(
      `DELETE FROM used_challenges WHERE (guild_id, challenge_id) IN (
         SELECT guild_id, challenge_id FROM used_challenges WHERE expires_at <= ? LIMIT ? + 0)`,
    ),
    pruneSalts: db.prepare('DELETE FROM network_keys WHERE period < ?'),
    // Index votes_by_network, once per guild.
    pruneNetworks: db.prepare(
      `UPDATE votes SET network = NULL WHERE (guild_id, cast_at, user_id) IN (
         SELECT old.guild_id, old.cast_at, old.user_id
         FROM guilds CROSS JOIN votes AS old INDEXED BY votes_by_network
         WHERE old.guild_id = guilds.guild_id AND old.network < ? LIMIT ? + 0)`,
    ),
  };
}

/** The newest marked votes of the guild. */
const NEWEST = (columns: string) => `
  SELECT ${columns} FROM votes INDEXED BY votes_marked
  WHERE guild_id = @guildId AND marks <> 0 AND cast_at >= @from
  ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_SUMMED}`;

/** The newest votes with this mark; others are skipped in the index. */
const EXAMINED = (mark: keyof typeof MARK_BITS) => `
  (SELECT cast_at, user_id FROM (${NEWEST('cast_at, user_id, marks')})
   WHERE marks & ${MARK_BITS[mark]} <> 0 LIMIT ${MAX_EXAMINED}) AS newest
  CROSS JOIN votes ON votes.guild_id = @guildId AND votes.cast_at = newest.cast_at AND votes.user_id = newest.user_id`;

const sumOf = (mark: keyof typeof MARK_BITS) => `sum(marks & ${MARK_BITS[mark]} <> 0) AS ${mark}`;

/** Each query names its index; a test checks the query plans. */
export const UNUSUAL_QUERIES = {
  // Index votes_marked_by_time only, read backwards.
  scan: `
    SELECT * FROM (
      SELECT guild_id AS guildId, user_id AS userId, cast_at AS castAt, marks AS bits, row_number() OVER () AS place
      FROM (
        SELECT guild_id, user_id, cast_at, marks FROM votes INDEXED BY votes_marked_by_time
        WHERE marks > 0 AND (cast_at, guild_id, user_id) < (@castAt, @guildId, @userId)
        ORDER BY cast_at DESC, guild_id DESC, user_id DESC LIMIT @limit + 0
      )
    ) WHERE bits & @bits <> 0 OR place = @limit ORDER BY place`,
  // The primary key.
  marked: `
    SELECT guild_id, user_id, cast_at, external_id, is_doubled, marks FROM votes
    WHERE guild_id = ? AND cast_at = ? AND user_id = ?`,
  // Index votes_marked only.
  days: `
    SELECT cast_at - (cast_at % 86400000 + 86400000) % 86400000 AS day,
      ${sumOf('young_account')}, ${sumOf('busy_network')}, ${sumOf('shared_name')}
    FROM (${NEWEST('cast_at, marks')}) GROUP BY day ORDER BY day`,
  // Index votes_marked, then the primary key for each vote that counts.
  sharedNames: `
    SELECT min(external_id) AS name, count(*) AS votes FROM ${EXAMINED('shared_name')}
    GROUP BY name_key ORDER BY votes DESC, name LIMIT ${MAX_NAMES}`,
  busyNetworks: `SELECT count(DISTINCT network) AS networks FROM ${EXAMINED('busy_network')}`,
  // The primary key of hourly_votes.
  hourly:
    'SELECT hour, votes, doubled FROM hourly_votes WHERE guild_id = ? AND hour >= ? AND hour < ? ORDER BY hour',
} as const;

type Params = { guildId: string; from: Instant };

export function createUnusualStore(db: Connection): UnusualStore {
  const scan = db.prepare<[object], ScannedVote>(UNUSUAL_QUERIES.scan);
  const marked = db.prepare<[string, Instant, string], VoteRow & { marks: number }>(UNUSUAL_QUERIES.marked);
  const reader: MarkedReader = {
    scan: async ({ before, bits, limit }) => scan.all({ ...before, bits, limit }),
    load: async (positions) =>
      positions
        .flatMap(({ guildId, castAt, userId }) => marked.get(guildId, castAt, userId) ?? [])
        .map((row) => ({ ...toVote(row), bits: row.marks })),
  };
  const days = db.prepare<[Params], MarkedDay>(UNUSUAL_QUERIES.days);
  const sharedNames = db.prepare<[Params], { name: string; votes: number }>(UNUSUAL_QUERIES.sharedNames);
  const busyNetworks = db.prepare<[Params], { networks: number }>(UNUSUAL_QUERIES.busyNetworks);
  const hourly = db.prepare<[string, Instant, Instant], HourlyVotes>(UNUSUAL_QUERIES.hourly);
  return {
    list: (mark, before, limit) => scanMarked(reader, mark, before, limit),
    async summarize(guildId, from) {
      const params = { guildId, from };
      const counted = days.all(params);
      await yieldToRequests();
      const names = sharedNames.all(params);
      await yieldToRequests();
      return { days: counted, sharedNames: names, busyNetworks: busyNetworks.get(params)?.networks ?? 0 };
    },
    async hourly(guildId, { from, to }) {
      return hourly.all(guildId, from, to);
    },
  };
}
