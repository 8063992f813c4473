import type { Instant } from '../../../domain/clock.ts';
import { lastUsedPeriod, MARK_BITS, oldestKeptNetwork } from '../../../domain/votes/integrity.ts';
import {
  type HourlyVotes,
  type IntegrityStore,
  type LinkSecretsRow,
  MAX_EXAMINED,
  MAX_NAMES,
  MAX_SUMMED,
  type MarkedDay,
  type RulesRow,
  scanMarked,
  toLinkSecrets,
  toRules,
  type UnusualStore,
} from '../../moderation/integrity.ts';
import type { MemoryNetworks } from '../../shared/memory.ts';
import { type Connection, type Connections, inTransaction } from '../connection.ts';
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
    async networkStanding(network, userId, now) {
      return networks.standing(network, userId, now);
    },
    useChallenge: (guildId, challengeId, expiresAt) =>
      database.write(() => write.useChallenge.run(challengeId, expiresAt, guildId).changes > 0),
    prune: (now, limit) =>
      database.write(() =>
        inTransaction(database.writer, () => {
          const challenges = write.pruneChallenges.run(now, limit).changes;
          write.pruneSalts.run(lastUsedPeriod(now));
          return Math.max(challenges, write.pruneNetworks.run(oldestKeptNetwork(now), limit).changes);
        }),
      ),
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
    // A small table: it holds challenges solved within their lifetime.
    pruneChallenges: db.prepare(
      `DELETE FROM used_challenges WHERE (guild_id, challenge_id) IN (
         SELECT guild_id, challenge_id FROM used_challenges WHERE expires_at <= ? LIMIT ?)`,
    ),
    pruneSalts: db.prepare('DELETE FROM network_keys WHERE period < ?'),
    // Index votes_by_network, once per guild.
    pruneNetworks: db.prepare(
      `UPDATE votes SET network = NULL WHERE (guild_id, cast_at, user_id) IN (
         SELECT old.guild_id, old.cast_at, old.user_id
         FROM guilds CROSS JOIN votes AS old INDEXED BY votes_by_network
         WHERE old.guild_id = guilds.guild_id AND old.network < ? LIMIT ?)`,
    ),
  };
}

const NEWEST = `
  FROM votes INDEXED BY votes_marked WHERE guild_id = @guildId AND marks <> 0 AND cast_at >= @from`;

const sumOf = (mark: keyof typeof MARK_BITS) => `sum(marks & ${MARK_BITS[mark]} <> 0) AS ${mark}`;

/** Each names the index that answers it; a test reads their plans. */
export const UNUSUAL_QUERIES = {
  // Index votes_marked_by_time, read backwards.
  everywhere: `
    SELECT guild_id, user_id, cast_at, external_id, is_doubled, marks FROM votes INDEXED BY votes_marked_by_time
    WHERE marks > 0 AND (cast_at, guild_id, user_id) < (?, ?, ?)
    ORDER BY cast_at DESC, guild_id DESC, user_id DESC LIMIT ?`,
  // Index votes_marked alone.
  days: `
    SELECT cast_at - (cast_at % 86400000 + 86400000) % 86400000 AS day,
      ${sumOf('young_account')}, ${sumOf('busy_network')}, ${sumOf('shared_name')}
    FROM (SELECT cast_at, marks ${NEWEST} ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_SUMMED})
    GROUP BY day ORDER BY day`,
  sharedNames: `
    SELECT min(external_id) AS name, count(*) AS votes FROM (
      SELECT external_id, name_key ${NEWEST} AND marks & ${MARK_BITS.shared_name} <> 0
      ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_EXAMINED}
    ) GROUP BY name_key ORDER BY votes DESC, name LIMIT ${MAX_NAMES}`,
  busyNetworks: `
    SELECT count(DISTINCT network) AS networks FROM (
      SELECT network ${NEWEST} AND marks & ${MARK_BITS.busy_network} <> 0
      ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_EXAMINED}
    )`,
  // The primary key of hourly_votes.
  hourly:
    'SELECT hour, votes, doubled FROM hourly_votes WHERE guild_id = ? AND hour >= ? AND hour < ? ORDER BY hour',
} as const;

type Asked = { guildId: string; from: Instant };

export function createUnusualStore(db: Connection): UnusualStore {
  const everywhere = db.prepare<[Instant, string, string, number], VoteRow & { marks: number }>(
    UNUSUAL_QUERIES.everywhere,
  );
  const days = db.prepare<[Asked], MarkedDay>(UNUSUAL_QUERIES.days);
  const sharedNames = db.prepare<[Asked], { name: string; votes: number }>(UNUSUAL_QUERIES.sharedNames);
  const busyNetworks = db.prepare<[Asked], { networks: number }>(UNUSUAL_QUERIES.busyNetworks);
  const hourly = db.prepare<[string, Instant, Instant], HourlyVotes>(UNUSUAL_QUERIES.hourly);
  return {
    everywhere: (mark, before, limit) =>
      scanMarked(
        async ({ castAt, guildId, userId }, scanned) =>
          everywhere
            .all(castAt, guildId, userId, scanned)
            .map((row) => ({ ...toVote(row), bits: row.marks })),
        mark,
        before,
        limit,
      ),
    async ofGuild(guildId, from) {
      const asked = { guildId, from };
      return {
        days: days.all(asked),
        sharedNames: sharedNames.all(asked),
        busyNetworks: busyNetworks.get(asked)?.networks ?? 0,
      };
    },
    async hourly(guildId, { from, to }) {
      return hourly.all(guildId, from, to);
    },
  };
}
