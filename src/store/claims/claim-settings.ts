/** How a guild's votes are claimed: settings and consumers, changed by its admins and by operators. */
import type { Guild } from '../../domain/guild.ts';
import type { PlayerNameRule } from '../../domain/votes/player-names.ts';
import type { Activity, ActivityStore } from '../activities.ts';
import type { GuildStore } from '../guilds/guilds.ts';
import type { ConsumerStore } from './consumers.ts';

/** What is absent stays as it is. */
export type ClaimSettings = { playerNames?: PlayerNameRule; listforgeConsumer?: string };

type Change = Pick<Activity, 'at' | 'actor'>;

/** Whether these settings differ from those of the guild. */
export function changesClaims(guild: Guild, { playerNames, listforgeConsumer }: ClaimSettings): boolean {
  return (
    (playerNames !== undefined && playerNames !== guild.playerNames) ||
    (listforgeConsumer !== undefined && listforgeConsumer !== guild.listforgeConsumer)
  );
}

/** Recorded first, so that every setting in effect is in the log. Returns false if the guild does not exist. */
export async function changeClaimSettings(
  { guilds, activities }: { guilds: GuildStore; activities: ActivityStore },
  guild: Guild,
  { playerNames = guild.playerNames, listforgeConsumer = guild.listforgeConsumer }: ClaimSettings,
  change: Change,
): Promise<boolean> {
  const { guildId } = guild;
  let isKnown = true;
  if (playerNames !== guild.playerNames) {
    const detail = { playerNames: { from: guild.playerNames, to: playerNames } };
    await activities.record({ guildId, ...change, action: 'player_names_changed', detail });
    isKnown = await guilds.setPlayerNames(guildId, playerNames);
  }
  if (listforgeConsumer !== guild.listforgeConsumer) {
    const detail = { listforgeConsumer: { from: guild.listforgeConsumer, to: listforgeConsumer } };
    await activities.record({ guildId, ...change, action: 'listforge_consumer_changed', detail });
    isKnown = await guilds.setListforgeConsumer(guildId, listforgeConsumer);
  }
  return isKnown;
}

/** Its claims stay. Returns false if it does not exist. */
export async function removeConsumer(
  { consumers, activities }: { consumers: ConsumerStore; activities: ActivityStore },
  guildId: string,
  consumer: string,
  change: Change,
): Promise<boolean> {
  const isKnown = (await consumers.list(guildId)).some(({ name }) => name === consumer);
  if (!isKnown) return false;
  await activities.record({ guildId, ...change, action: 'consumer_removed', detail: { consumer } });
  return consumers.remove(guildId, consumer);
}
