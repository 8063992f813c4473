/** The picture at the top of a guild's public page, which its admins upload. */
import type { Database } from '../database.ts';
import { EXISTING_GUILD } from './guilds.ts';

/** `version` is a hash of the bytes, and part of the URL. `alt` describes the picture in words; empty: decoration. */
export type Banner = { version: string; alt: string };

export type BannerFile = Pick<Banner, 'version'> & { bytes: Buffer };

export interface BannerStore {
  find(guildId: string): Promise<Banner | undefined>;
  /** A JPEG file. */
  file(guildId: string): Promise<BannerFile | undefined>;
  /** Returns false if the guild does not exist. */
  set(guildId: string, banner: Banner & BannerFile): Promise<boolean>;
  /** Returns false if the guild has no banner. */
  setAlt(guildId: string, alt: string): Promise<boolean>;
  /** Returns false if the guild has no banner. */
  remove(guildId: string): Promise<boolean>;
}

/** Each statement uses the primary key. */
export function createBannerStore({ read, write }: Database): BannerStore {
  const find = read<Banner>('SELECT version, alt FROM guild_banners WHERE guild_id = @guildId', 'banner');
  const file = read<BannerFile>('SELECT version, bytes FROM guild_banners WHERE guild_id = @guildId');
  const set = write(`
    INSERT INTO guild_banners (guild_id, version, alt, bytes)
    SELECT guild_id, @version, @alt, @bytes FROM guilds WHERE ${EXISTING_GUILD}
    ON CONFLICT (guild_id) DO UPDATE SET version = excluded.version, alt = excluded.alt, bytes = excluded.bytes`);
  const setAlt = write('UPDATE guild_banners SET alt = @alt WHERE guild_id = @guildId');
  const remove = write('DELETE FROM guild_banners WHERE guild_id = @guildId');
  return {
    async find(guildId) {
      return (await find({ guildId }))[0];
    },
    async file(guildId) {
      return (await file({ guildId }))[0];
    },
    async set(guildId, { version, alt, bytes }) {
      return (await set({ guildId, version, alt, bytes })) > 0;
    },
    async setAlt(guildId, alt) {
      return (await setAlt({ guildId, alt })) > 0;
    },
    async remove(guildId) {
      return (await remove({ guildId })) > 0;
    },
  };
}
