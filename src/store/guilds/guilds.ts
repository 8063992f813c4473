/** Guilds and their keys. */

import type { Instant } from '../../domain/clock.ts';
import type { AdmittedGuild, Guild, Sanction } from '../../domain/guild.ts';
import { generateApiKey, hashApiKey } from '../../domain/keys/api-key.ts';
import type { RandomInt } from '../../domain/keys/key-format.ts';
import { type Secrets, seal, unseal } from '../../domain/secrets.ts';
import { foldName } from '../../domain/text/names.ts';
import { isSearchable } from '../../domain/text/text.ts';
import type { PlayerNameRule } from '../../domain/votes/player-names.ts';
import type { DoublingRule } from '../../domain/votes/vote.ts';
import type { Database, Params } from '../database.ts';
import type { RemovalStore } from './removal.ts';

export type NewGuild = Pick<Guild, 'guildId' | 'name' | 'createdAt'>;

/** A stored key: the hash finds its guild, the encrypted text can be shown to an admin. */
export type StoredKey = { hash: string; sealed: string; createdAt: Instant };

export type GuildPageQuery = {
  /** Searched in names, ignoring case and accents, or the whole id of a guild. Empty: all. */
  search: string;
  /** The last guild of the previous page; empty for the first page. */
  afterGuildId: string;
  limit: number;
};

export interface GuildStore extends RemovalStore {
  /** Returns false, without changes, if the guild is listed already. */
  add(guild: NewGuild): Promise<boolean>;
  /** All guilds, ordered by id. */
  list(): Promise<Guild[]>;
  /** Guilds ordered by id. */
  page(query: GuildPageQuery): Promise<Guild[]>;
  find(guildId: string): Promise<Guild | undefined>;
  /** Which of these guilds exist, in one query. */
  findExisting(guildIds: readonly string[]): Promise<string[]>;
  /** The guild of this key, sanctioned or not: what the API needs of it. */
  findByKeyHash(hash: string): Promise<AdmittedGuild | undefined>;
  /** Replaces the key; the previous one stops working immediately. `null` leaves the guild without a key. */
  setKey(guildId: string, key: StoredKey | null): Promise<boolean>;
  /** The stored key; `undefined` when the guild has none. */
  findKey(guildId: string): Promise<StoredKey | undefined>;
  rename(guildId: string, name: string): Promise<boolean>;
  /** Removes the guild from the public listing, or restores it with null. Nothing else changes. */
  setUnlisted(guildId: string, since: Instant | null): Promise<boolean>;
  /** The choice of its admins: a guild is in the listing if neither they nor the operator have removed it. */
  setHidden(guildId: string, since: Instant | null): Promise<boolean>;
  setPremiumUntil(guildId: string, until: Instant | null): Promise<boolean>;
  setSanction(guildId: string, sanction: Sanction | null): Promise<boolean>;
  /** Requests per minute of its key; null: the limit of the service. */
  setRateLimit(guildId: string, limit: number | null): Promise<boolean>;
  setDoubling(guildId: string, rule: DoublingRule): Promise<boolean>;
  setOneRewardPerName(guildId: string, isOn: boolean): Promise<boolean>;
  setPlayerNames(guildId: string, rule: PlayerNameRule): Promise<boolean>;
  /** The consumer as which the ListForge protocol claims. */
  setListforgeConsumer(guildId: string, consumer: string): Promise<boolean>;
}

/**
 * Gives the guild a new key; the previous one stops working immediately. `undefined` if the guild does not exist. The
 * command line and the dashboard both use this, so a key is always stored in the same two forms.
 */
export async function issueKey(
  { guilds }: { guilds: GuildStore },
  secrets: Secrets,
  guildId: string,
  now: Instant,
  random?: RandomInt,
): Promise<string | undefined> {
  const key = generateApiKey(random);
  const stored = { hash: hashApiKey(key), sealed: seal(key, guildId, secrets.sealKey), createdAt: now };
  return (await guilds.setKey(guildId, stored)) ? key : undefined;
}

/** `other-secret`: the key still works, but it was encrypted with a different master secret. */
export type RevealedKey = { shown: true; key: string } | { shown: false; reason: 'no-key' | 'other-secret' };

export async function revealKey(
  { guilds }: { guilds: GuildStore },
  secrets: Secrets,
  guildId: string,
): Promise<RevealedKey> {
  const stored = await guilds.findKey(guildId);
  if (!stored) return { shown: false, reason: 'no-key' };
  const key = unseal(stored.sealed, guildId, secrets.sealKey);
  return key === undefined ? { shown: false, reason: 'other-secret' } : { shown: true, key };
}

/** A row of `guilds` as both databases return it. Column checks guarantee the types of `doubling` and `player_names`. */
export type GuildRow = AdmittedRow & {
  created_at: Instant;
  unlisted_at: Instant | null;
  hidden_at: Instant | null;
  icon_version: string | null;
  has_key: boolean | number;
};

/** The part of it that `admit` reads. */
export type AdmittedRow = {
  guild_id: string;
  name: string;
  doubling: DoublingRule;
  one_reward_per_name: boolean | number;
  player_names: PlayerNameRule;
  listforge_consumer: string;
  premium_until: Instant | null;
  sanctioned_at: Instant | null;
  sanction_reason: string | null;
  rate_limit: number | null;
};

type KeyRow = { key_hash: string; key_sealed: string; key_created_at: Instant };

export function toGuild(row: GuildRow): Guild {
  return {
    ...toAdmitted(row),
    createdAt: row.created_at,
    unlistedAt: row.unlisted_at,
    hiddenAt: row.hidden_at,
    icon: row.icon_version,
    hasKey: Boolean(row.has_key),
  };
}

export function toAdmitted(row: AdmittedRow): AdmittedGuild {
  return {
    guildId: row.guild_id,
    name: row.name,
    doubling: row.doubling,
    oneRewardPerName: Boolean(row.one_reward_per_name),
    playerNames: row.player_names,
    listforgeConsumer: row.listforge_consumer,
    premiumUntil: row.premium_until,
    sanction: row.sanctioned_at === null ? null : { since: row.sanctioned_at, reason: row.sanction_reason },
    rateLimit: row.rate_limit,
  };
}

function toStoredKey(row: KeyRow): StoredKey {
  return { hash: row.key_hash, sealed: row.key_sealed, createdAt: row.key_created_at };
}

/** The columns that `toAdmitted` reads. */
export const ADMITTED_COLUMNS = [
  'guild_id',
  'name',
  'doubling',
  'premium_until',
  'sanctioned_at',
  'sanction_reason',
  'one_reward_per_name',
  'player_names',
  'listforge_consumer',
  'rate_limit',
] as const satisfies (keyof AdmittedRow)[];

/** The columns that `toGuild` reads. */
export const GUILD_COLUMNS = `${ADMITTED_COLUMNS.join(', ')}, created_at, unlisted_at, hidden_at, icon_version,
       key_hash IS NOT NULL AS has_key`;

/** The primary key. A guild that is being removed no longer exists for anyone. */
export const EXISTING_GUILD = 'guild_id = @guildId AND removed_at IS NULL';

/** The ids of the next guilds, for work that goes through all of them, also those being removed. The primary key. */
export const NEXT_GUILDS =
  'SELECT guild_id FROM guilds WHERE guild_id > @after ORDER BY guild_id LIMIT @limit + 0';

export function createGuildStore({
  read,
  write,
  dialect: { position, inList },
}: Database): Omit<GuildStore, keyof RemovalStore> {
  const change = (set: string) => {
    const update = write(`UPDATE guilds SET ${set} WHERE ${EXISTING_GUILD}`);
    return async (params: Params) => (await update(params)) > 0;
  };
  const add = write(`
    INSERT INTO guilds (guild_id, name, name_folded, created_at) VALUES (@guildId, @name, @folded, @createdAt)
    ON CONFLICT DO NOTHING`);
  // The primary key, here and below.
  const list = read<GuildRow>(
    `SELECT ${GUILD_COLUMNS} FROM guilds WHERE removed_at IS NULL ORDER BY guild_id`,
  );
  const page = read<GuildRow>(`
    SELECT ${GUILD_COLUMNS} FROM guilds
    WHERE guild_id > @after AND removed_at IS NULL
      AND (${position}(name_folded, @folded) > 0 OR guild_id = @search)
    ORDER BY guild_id LIMIT @limit + 0`);
  const find = read<GuildRow>(`SELECT ${GUILD_COLUMNS} FROM guilds WHERE ${EXISTING_GUILD}`, 'guild');
  const findExisting = read<Pick<GuildRow, 'guild_id'>>(
    `SELECT guild_id FROM guilds WHERE guild_id ${inList('@guildIds')} AND removed_at IS NULL`,
  );
  const findKey = read<KeyRow>(`
    SELECT key_hash, key_sealed, key_created_at FROM guilds WHERE guild_id = @guildId AND key_hash IS NOT NULL`);
  // Index guilds_by_key_hash.
  const findByKeyHash = read<AdmittedRow>(
    `SELECT ${ADMITTED_COLUMNS.join(', ')} FROM guilds WHERE key_hash = @hash`,
    'guild-by-key-hash',
  );
  const rename = change('name = @name, name_folded = @folded');
  const setUnlisted = change('unlisted_at = @since');
  const setHidden = change('hidden_at = @since');
  const setKey = change('key_hash = @hash, key_sealed = @sealed, key_created_at = @createdAt');
  const setPremiumUntil = change('premium_until = @until');
  const setSanction = change('sanctioned_at = @since, sanction_reason = @reason');
  const setRateLimit = change('rate_limit = @limit');
  const setDoubling = change('doubling = @rule');
  const setOneRewardPerName = change('one_reward_per_name = @isOn');
  const setPlayerNames = change('player_names = @rule');
  const setListforgeConsumer = change('listforge_consumer = @consumer');

  return {
    async add({ guildId, name, createdAt }) {
      return (await add({ guildId, name, folded: foldName(name), createdAt })) > 0;
    },
    async list() {
      return (await list()).map(toGuild);
    },
    async page({ search, afterGuildId: after, limit }) {
      if (!isSearchable(search)) return [];
      return (await page({ search, folded: foldName(search), after, limit })).map(toGuild);
    },
    async find(guildId) {
      return (await find({ guildId })).map(toGuild)[0];
    },
    async findExisting(guildIds) {
      return (await findExisting({ guildIds })).map((row) => row.guild_id);
    },
    async findByKeyHash(hash) {
      return (await findByKeyHash({ hash })).map(toAdmitted)[0];
    },
    async findKey(guildId) {
      return (await findKey({ guildId })).map(toStoredKey)[0];
    },
    setKey: (guildId, key) => setKey({ guildId, ...(key ?? NO_KEY) }),
    rename: (guildId, name) => rename({ guildId, name, folded: foldName(name) }),
    setUnlisted: (guildId, since) => setUnlisted({ guildId, since }),
    setHidden: (guildId, since) => setHidden({ guildId, since }),
    setPremiumUntil: (guildId, until) => setPremiumUntil({ guildId, until }),
    setSanction: (guildId, sanction) => setSanction({ guildId, ...(sanction ?? NO_SANCTION) }),
    setRateLimit: (guildId, limit) => setRateLimit({ guildId, limit }),
    setDoubling: (guildId, rule) => setDoubling({ guildId, rule }),
    setOneRewardPerName: (guildId, isOn) => setOneRewardPerName({ guildId, isOn }),
    setPlayerNames: (guildId, rule) => setPlayerNames({ guildId, rule }),
    setListforgeConsumer: (guildId, consumer) => setListforgeConsumer({ guildId, consumer }),
  };
}

const NO_KEY = { hash: null, sealed: null, createdAt: null };
const NO_SANCTION = { since: null, reason: null };
