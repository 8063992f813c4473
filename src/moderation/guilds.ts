/**
 * What operators change about a guild: its name, its place in the listing, Premium, sanctions, rate limit, goal and voter
 * role.
 *
 *   const outcome = await sanctionGuild(moderator, guildId, 'bought votes');
 *   if (outcome.kind === 'unknown_guild') …
 */
import { formatInstantOrNull, type Instant } from '../domain/clock.ts';
import type { Guild } from '../domain/guild.ts';
import { type Goal, isSameGoal } from '../domain/votes/goal.ts';
import { isSameRole, type VoterRole } from '../domain/votes/voter-role.ts';
import { type ClaimSettings, changeClaimSettings, changesClaims } from '../store/claims/claim-settings.ts';
import { changeGoal } from '../store/guilds/goals.ts';
import { changeVoterRole } from '../store/guilds/voter-roles.ts';
import type { AuditDetail, OperatorAction } from '../store/moderation/audit.ts';
import { type Moderator, moderate } from './moderator.ts';

export const GUILD_NAME_MAX_LENGTH = 100;

/** `guild` is as it was before. `unchanged`: it was like this already, and nothing is logged. */
export type GuildOutcome =
  | { kind: 'changed'; guild: Guild }
  | { kind: 'unchanged'; guild: Guild }
  | { kind: 'unknown_guild' };

/** `apply` resolves with false if the guild no longer exists. */
type GuildChange = { action: OperatorAction; detail?: AuditDetail; apply(): Promise<boolean> };

/** The log has the name that the guild had, because it outlives the guild. */
async function changeGuild(
  moderator: Moderator,
  guildId: string,
  plan: (guild: Guild) => GuildChange | null,
): Promise<GuildOutcome> {
  const guild = await moderator.store.guilds.find(guildId);
  if (!guild) return { kind: 'unknown_guild' };
  const change = plan(guild);
  if (!change) return { kind: 'unchanged', guild };
  const { action, apply } = change;
  const detail = { guild: guild.name, ...change.detail };
  const isKnown = await moderate(moderator, { action, guildId, detail }, apply);
  return isKnown ? { kind: 'changed', guild } : { kind: 'unknown_guild' };
}

export function renameGuild(moderator: Moderator, guildId: string, name: string): Promise<GuildOutcome> {
  const { guilds } = moderator.store;
  return changeGuild(moderator, guildId, (guild) =>
    guild.name === name
      ? null
      : { action: 'guild_renamed', detail: { name }, apply: () => guilds.rename(guildId, name) },
  );
}

/** Removes the guild from the listing, or restores it. Its links, dashboard and API work as before. */
export function setGuildListed(
  moderator: Moderator,
  guildId: string,
  isListed: boolean,
): Promise<GuildOutcome> {
  const { store, clock } = moderator;
  return changeGuild(moderator, guildId, ({ unlistedAt }) =>
    isListed === (unlistedAt === null)
      ? null
      : {
          action: isListed ? 'guild_relisted' : 'guild_unlisted',
          apply: () => store.guilds.setUnlisted(guildId, isListed ? null : clock()),
        },
  );
}

/** Null ends Premium. */
export function setGuildPremium(
  moderator: Moderator,
  guildId: string,
  until: Instant | null,
): Promise<GuildOutcome> {
  const { guilds } = moderator.store;
  return changeGuild(moderator, guildId, () => ({
    action: 'premium_changed',
    detail: { until: formatInstantOrNull(until) },
    apply: () => guilds.setPremiumUntil(guildId, until),
  }));
}

/** Closes the guild without deleting anything. Replaces an earlier sanction. */
export function sanctionGuild(
  moderator: Moderator,
  guildId: string,
  reason: string | null,
): Promise<GuildOutcome> {
  const { store, clock } = moderator;
  return changeGuild(moderator, guildId, () => ({
    action: 'sanction_added',
    detail: { reason },
    apply: () => store.guilds.setSanction(guildId, { since: clock(), reason }),
  }));
}

export function liftSanction(moderator: Moderator, guildId: string): Promise<GuildOutcome> {
  const { guilds } = moderator.store;
  return changeGuild(moderator, guildId, () => ({
    action: 'sanction_lifted',
    apply: () => guilds.setSanction(guildId, null),
  }));
}

export const MAX_GUILD_RATE_LIMIT = 100_000;

/** Reads what was typed. */
export function parseGuildRateLimit(text: string): number | undefined {
  const limit = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= MAX_GUILD_RATE_LIMIT ? limit : undefined;
}

/** Requests per minute of its key, from the next request on; null: the limit of the service. */
export function setGuildRateLimit(
  moderator: Moderator,
  guildId: string,
  rateLimit: number | null,
): Promise<GuildOutcome> {
  const { guilds } = moderator.store;
  return changeGuild(moderator, guildId, (guild) =>
    guild.rateLimit === rateLimit
      ? null
      : {
          action: 'rate_limit_changed',
          detail: { rateLimit },
          apply: () => guilds.setRateLimit(guildId, rateLimit),
        },
  );
}

/** How votes of the guild are claimed. Also in the log of its admins. */
export function setClaimSettings(
  moderator: Moderator,
  guildId: string,
  settings: ClaimSettings,
): Promise<GuildOutcome> {
  const { store, clock } = moderator;
  return changeGuild(moderator, guildId, (guild) =>
    changesClaims(guild, settings)
      ? {
          action: 'claims_changed',
          detail: settings,
          apply: () => changeClaimSettings(store, guild, settings, { at: clock(), actor: null }),
        }
      : null,
  );
}

/** Also in the log of the guild's admins. Null removes the goal. */
export async function setGuildGoal(
  moderator: Moderator,
  guildId: string,
  goal: Goal | null,
): Promise<GuildOutcome> {
  const { store, clock } = moderator;
  const current = await store.goals.find(guildId);
  return changeGuild(moderator, guildId, () =>
    isSameGoal(current, goal)
      ? null
      : {
          action: 'goal_changed',
          detail: { goal },
          apply: async () => {
            const change = { guildId, at: clock(), actor: null };
            return (await changeGoal(store, change, goal)).kind !== 'unknown_guild';
          },
        },
  );
}

/** Also in the log of the guild's admins. Null turns it off. The same role again makes another attempt after a problem. */
export async function setGuildVoterRole(
  moderator: Moderator,
  guildId: string,
  role: VoterRole | null,
): Promise<GuildOutcome> {
  const { store, clock } = moderator;
  const current = await store.voterRoles.find(guildId);
  const apply = async () => {
    const change = { guildId, at: clock(), actor: null };
    return (await changeVoterRole(store, change, role)).kind !== 'unknown_guild';
  };
  if (!isSameRole(current, role))
    return changeGuild(moderator, guildId, () => ({
      action: 'voter_role_changed',
      detail: { voterRole: role },
      apply,
    }));
  await apply();
  return changeGuild(moderator, guildId, () => null);
}

/** `being_removed`: an earlier guild of this id has rows that are still being deleted. */
export type AddOutcome = { kind: 'added' } | { kind: 'already_listed' } | { kind: 'being_removed' };

export async function addGuild(
  moderator: Moderator,
  { guildId, name }: Pick<Guild, 'guildId' | 'name'>,
): Promise<AddOutcome> {
  const { store, clock } = moderator;
  if (await store.guilds.find(guildId)) return { kind: 'already_listed' };
  const unfinished = await store.guilds.unfinishedRemovals(Number.MAX_SAFE_INTEGER);
  if (unfinished.includes(guildId)) return { kind: 'being_removed' };
  const isNew = await moderate(moderator, { action: 'guild_added', guildId, detail: { guild: name } }, () =>
    store.guilds.add({ guildId, name, createdAt: clock() }),
  );
  return { kind: isNew ? 'added' : 'already_listed' };
}

export type RemoveOutcome = { kind: 'removed' } | { kind: 'unknown_guild' };

/** Deletes the guild with its key and votes. A removal that was interrupted is finished; it was logged before. */
export async function removeGuild(
  moderator: Moderator,
  guildId: string,
  progress: { onProgress(rows: number): void },
): Promise<RemoveOutcome> {
  const { guilds } = moderator.store;
  const remove = () => guilds.remove(guildId, progress);
  const guild = await guilds.find(guildId);
  const isRemoved = guild
    ? await moderate(moderator, { action: 'guild_removed', guildId, detail: { guild: guild.name } }, remove)
    : await remove();
  return { kind: isRemoved ? 'removed' : 'unknown_guild' };
}

/** Deleting this many rows takes a second or two. */
const ROWS_AWAITED = 20_000;

/**
 * Like `removeGuild`, but does not wait for the rows of a large guild. Nobody can see the guild from the start; its rows
 * are deleted in the background, and if that fails (`onFailure`), by the retention of any process.
 */
export async function removeGuildSoon(
  moderator: Moderator,
  guildId: string,
  onFailure: (error: unknown) => void,
): Promise<RemoveOutcome> {
  const { promise: isLarge, resolve } = Promise.withResolvers<RemoveOutcome>();
  let isAwaited = true;
  const onProgress = (rows: number) => {
    if (rows < ROWS_AWAITED) return;
    isAwaited = false;
    resolve({ kind: 'removed' });
  };
  const removal = removeGuild(moderator, guildId, { onProgress });
  removal.catch((error: unknown) => {
    if (!isAwaited) onFailure(error);
  });
  return Promise.race([removal, isLarge]);
}
