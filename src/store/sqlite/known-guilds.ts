import type { Guild } from '../../domain/guild.ts';
import { type GuildRow, toGuild } from '../rows.ts';
import type { Connections } from './connection.ts';
import { GUILD_COLUMNS } from './guild-columns.ts';
import type { WatchedState } from './watch.ts';

/** Made-up keys are never remembered, so it takes as many guilds to get here. */
const MAX_KNOWN = 100_000;

/**
 * Guilds by the hash of their key, for as long as no guild has changed in the database: a key that was regenerated
 * or a guild that was sanctioned, by whatever process, is looked up again by the next request.
 */
export class KnownGuilds {
  readonly #watch: () => WatchedState | null;
  readonly #byKeyHash;
  readonly #known = new Map<string, Guild>();
  #changes: number | null = null;

  constructor(database: Connections, watch: () => WatchedState | null) {
    this.#watch = watch;
    // Index guilds_by_key_hash.
    this.#byKeyHash = database.reader.prepare<[string], GuildRow>(
      `SELECT ${GUILD_COLUMNS} FROM guilds WHERE key_hash = ?`,
    );
  }

  find(keyHash: string): Guild | undefined {
    const changes = this.#watch()?.guildChanges ?? null;
    if (changes === null || changes !== this.#changes) this.#known.clear();
    this.#changes = changes;
    return this.#known.get(keyHash) ?? this.#read(keyHash);
  }

  /** What changes between the look at the state and this is read already, and read again after the next look. */
  #read(keyHash: string): Guild | undefined {
    const row = this.#byKeyHash.get(keyHash);
    if (!row) return undefined;
    const guild = toGuild(row);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    if (this.#changes !== null) this.#known.set(keyHash, guild);
    return guild;
  }
}
