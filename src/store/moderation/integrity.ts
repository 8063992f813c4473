/**
 * What decides who may vote, besides the cooldown: guild rules, secrets of signed vote links, accounts per network,
 * and challenges.
 *
 *   const { otherVotes } = await store.integrity.networkUsage(network, userId, now);
 *   if (!(await store.integrity.useChallenge(guildId, challengeId, expiresAt))) …   // it was used before
 */
import type { Instant } from '../../domain/clock.ts';
import { lastUsedPeriod, type NetworkUsage } from '../../domain/votes/networks.ts';
import type { Database } from '../database.ts';

/** What a guild requires of voters, in addition to the rules of the site. */
export type GuildRules = {
  minAccountAgeDays: number;
  membersOnly: boolean;
  signedLinksOnly: boolean;
};

export const NO_RULES: GuildRules = { minAccountAgeDays: 0, membersOnly: false, signedLinksOnly: false };

/** The sealed secrets that sign vote links; the previous one is valid until `previousUntil`. */
export type SealedLinkSecrets = { current: string; previous: string | null; previousUntil: Instant | null };

export interface IntegrityStore {
  /** `NO_RULES` for a guild without rules. */
  rules(guildId: string): Promise<GuildRules>;
  /** Returns false if the guild does not exist. */
  setRules(guildId: string, rules: GuildRules): Promise<boolean>;
  linkSecrets(guildId: string): Promise<SealedLinkSecrets | undefined>;
  setLinkSecrets(guildId: string, secrets: SealedLinkSecrets): Promise<boolean>;
  /** The salt of a period: the first one that any process offered. */
  networkSalt(period: number, offered: string): Promise<string>;
  /** The other accounts that voted from this network within the last hour, for any guild. */
  networkUsage(network: string, userId: string, now: Instant): Promise<NetworkUsage>;
  /** Returns true for the first use only, across processes. */
  useChallenge(guildId: string, challengeId: string, expiresAt: Instant): Promise<boolean>;
  /**
   * Deletes expired challenges, salts of past periods, and expired network hashes, at most `limit` rows per table.
   * Returns the number of rows changed in the table that changed most.
   */
  prune(now: Instant, limit: number): Promise<number>;
}

/** A row of `guild_rules` as both databases return it. */
type RulesRow = {
  min_account_age_days: number;
  members_only: boolean | number;
  signed_links_only: boolean | number;
};

type LinkSecretsRow = {
  link_secret: string;
  previous_link_secret: string | null;
  previous_link_secret_until: Instant | null;
};

function toRules(row: RulesRow): GuildRules {
  return {
    minAccountAgeDays: row.min_account_age_days,
    membersOnly: Boolean(row.members_only),
    signedLinksOnly: Boolean(row.signed_links_only),
  };
}

function toLinkSecrets(row: LinkSecretsRow): SealedLinkSecrets {
  return {
    current: row.link_secret,
    previous: row.previous_link_secret,
    previousUntil: row.previous_link_secret_until,
  };
}

/** How a database counts the accounts of networks: SQLite in memory, PostgreSQL in a table that processes share. */
export type NetworkStore = {
  usage(network: string, userId: string, now: Instant): Promise<NetworkUsage>;
  /** Deletes what is kept about networks for too long, at most `limit` rows per table. As `IntegrityStore.prune`. */
  prune(now: Instant, limit: number): Promise<number>;
};

export function createIntegrityStore(database: Database, networks: NetworkStore): IntegrityStore {
  const sql = prepare(database);
  return {
    networkUsage: networks.usage,
    async rules(guildId) {
      return (await sql.rules({ guildId })).map(toRules)[0] ?? NO_RULES;
    },
    async setRules(guildId, { minAccountAgeDays, membersOnly, signedLinksOnly }) {
      return (await sql.setRules({ guildId, minAccountAgeDays, membersOnly, signedLinksOnly })) > 0;
    },
    async linkSecrets(guildId) {
      return (await sql.linkSecrets({ guildId })).map(toLinkSecrets)[0];
    },
    async setLinkSecrets(guildId, { current, previous, previousUntil }) {
      return (await sql.setLinkSecrets({ guildId, current, previous, previousUntil })) > 0;
    },
    async networkSalt(period, offered) {
      const [kept] = await sql.salt({ period });
      if (kept) return kept.salt;
      await sql.addSalt({ period, offered });
      return (await sql.salt({ period }))[0]?.salt ?? offered;
    },
    async useChallenge(guildId, challengeId, expiresAt) {
      return (await sql.useChallenge({ guildId, challengeId, expiresAt })) > 0;
    },
    async prune(now, limit) {
      await sql.pruneSalts({ period: lastUsedPeriod(now) });
      return Math.max(await sql.pruneChallenges({ now, limit }), await networks.prune(now, limit));
    },
  };
}

/** The primary key, in every statement. */
function prepare({ read, write }: Database) {
  return {
    rules: read<RulesRow>(
      'SELECT min_account_age_days, members_only, signed_links_only FROM guild_rules WHERE guild_id = @guildId',
      'guild-rules',
    ),
    linkSecrets: read<LinkSecretsRow>(`
      SELECT link_secret, previous_link_secret, previous_link_secret_until FROM guild_rules
      WHERE guild_id = @guildId AND link_secret IS NOT NULL`),
    setRules: write(`
      INSERT INTO guild_rules (guild_id, min_account_age_days, members_only, signed_links_only)
      SELECT guild_id, @minAccountAgeDays, @membersOnly, @signedLinksOnly FROM guilds WHERE guild_id = @guildId
      ON CONFLICT (guild_id) DO UPDATE SET min_account_age_days = excluded.min_account_age_days,
        members_only = excluded.members_only, signed_links_only = excluded.signed_links_only`),
    setLinkSecrets: write(`
      INSERT INTO guild_rules (guild_id, link_secret, previous_link_secret, previous_link_secret_until)
      SELECT guild_id, @current, @previous, @previousUntil FROM guilds WHERE guild_id = @guildId
      ON CONFLICT (guild_id) DO UPDATE SET link_secret = excluded.link_secret,
        previous_link_secret = excluded.previous_link_secret,
        previous_link_secret_until = excluded.previous_link_secret_until`),
    salt: read<{ salt: string }>('SELECT salt FROM network_keys WHERE period = @period'),
    addSalt: write(
      'INSERT INTO network_keys (period, salt) VALUES (@period, @offered) ON CONFLICT DO NOTHING',
    ),
    pruneSalts: write('DELETE FROM network_keys WHERE period < @period'),
    useChallenge: write(`
      INSERT INTO used_challenges (guild_id, challenge_id, expires_at)
      SELECT guild_id, @challengeId, @expiresAt FROM guilds WHERE guild_id = @guildId ON CONFLICT DO NOTHING`),
    // A full read of a small table: it contains challenges solved within their lifetime.
    pruneChallenges: write(`
      DELETE FROM used_challenges WHERE (guild_id, challenge_id) IN (
        SELECT guild_id, challenge_id FROM used_challenges WHERE expires_at <= @now LIMIT @limit + 0)`),
  };
}
