import { lastUsedPeriod, oldestKeptNetwork } from '../../domain/votes/network.ts';
import {
  type IntegrityStore,
  type LinkSecretsRow,
  type RulesRow,
  toLinkSecrets,
  toRules,
} from '../moderation/integrity.ts';
import type { MemoryNetworks } from '../shared/memory.ts';
import { type Connection, type Connections, inTransaction } from './connection.ts';

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
