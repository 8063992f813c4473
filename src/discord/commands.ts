/**
 * What the commands and buttons of the app do. Votes follow the rules of the voting page, except those about networks:
 * Discord does not share the addresses of its users.
 *
 *   const run = createCommands(deps);
 *   const message = await run(interaction, 'https://votes.example.org');
 */

import type { Clock, Instant } from '../domain/clock.ts';
import { type Guild, isActive } from '../domain/guild.ts';
import { accountMarks, type Ban, type VoteRefusal, youngUntil } from '../domain/votes/integrity.ts';
import { COOLDOWN_MS, isDoubledAt } from '../domain/votes/vote.ts';
import type { Leaderboards } from '../store/leaderboards.ts';
import type { GuildRules } from '../store/moderation/integrity.ts';
import type { Store } from '../store/store.ts';
import type { Caller, Interaction } from './interaction.ts';
import {
  type AppMessage,
  actionButton,
  answer,
  bold,
  fullTime,
  linkButton,
  plain,
  readAction,
  relativeTime,
} from './interaction.ts';
import { type AppMessages, appMessages } from './messages.ts';

export type CommandDeps = {
  store: Store;
  leaderboards: Leaderboards;
  clock: Clock;
  siteName: string;
  minAccountAgeDays: number;
  /** Whether direct messages can be sent. */
  hasReminders: boolean;
  /** Called for every attempt to vote. */
  onVote(outcome: 'accepted' | 'refused'): void;
  onRefusal(reason: VoteRefusal): void;
};

export type Action = Exclude<Interaction, { kind: 'ping' }>;

export type RunCommand = (interaction: Action, siteUrl: string) => Promise<AppMessage>;

/** A user acting on a guild that can be voted for. `texts` are in their language. */
type Visit = Caller & { guild: Guild; texts: AppMessages; siteUrl: string };

const TOP_VOTERS = 10;

export function voteUrl(siteUrl: string, guildId: string): string {
  return `${siteUrl}/guild/${guildId}/vote`;
}

function bannedText(texts: AppMessages, { until }: Pick<Ban, 'until'>): string {
  return until === null ? texts.banned : texts.bannedUntil(fullTime(until));
}

export function createCommands(deps: CommandDeps): RunCommand {
  const { store, clock, hasReminders } = deps;

  const pageButton = ({ texts, siteUrl, guild }: Visit) =>
    linkButton(texts.buttons.votePage, voteUrl(siteUrl, guild.guildId));

  /** The voting page, and reminders unless they are on. */
  async function defaultButtons(visit: Visit) {
    const { guild, userId, texts } = visit;
    const isOffered = hasReminders && !(await store.reminders.find(guild.guildId, userId));
    const remind = actionButton(texts.buttons.remind, { action: 'remind-on', guildId: guild.guildId });
    return [pageButton(visit), ...(isOffered ? [remind] : [])];
  }

  function refuse(reason: VoteRefusal): void {
    deps.onVote('refused');
    deps.onRefusal(reason);
  }

  const oldEnoughAt = (userId: string, rules: GuildRules, now: Instant) =>
    youngUntil(userId, Math.max(deps.minAccountAgeDays, rules.minAccountAgeDays), now);

  /** Optional information; errors are ignored. */
  async function totals({ guild, userId, texts }: Visit, withRank: boolean): Promise<string[]> {
    try {
      const { totalVotes, streakDays, rank } = await store.votes.standing(guild.guildId, userId, clock());
      if (totalVotes === 0) return [];
      return [texts.totals(totalVotes, streakDays), ...(withRank && rank !== null ? [texts.rank(rank)] : [])];
    } catch {
      return [];
    }
  }

  async function vote(visit: Visit): Promise<AppMessage> {
    const { guild, userId, texts } = visit;
    const { guildId } = guild;
    const castAt = clock();
    const rules = await store.integrity.rules(guildId);
    if (rules.signedLinksOnly) {
      refuse('bad_link');
      return answer(texts.signedLinksOnly(bold(guild.name)));
    }
    // Users who run a command in the guild are members; a button in a direct message proves nothing.
    if (rules.membersOnly && visit.guildId !== guildId) {
      refuse('membership_unknown');
      return answer(texts.membersOnly(bold(guild.name)), [pageButton(visit)]);
    }
    const canVoteAt = oldEnoughAt(userId, rules, castAt);
    if (canVoteAt !== null) {
      refuse('young_account');
      return answer(texts.youngAccount(fullTime(canVoteAt)));
    }
    const isDoubled = isDoubledAt(guild.doubling, castAt);
    const outcome = await store.votes.cast(
      { guildId, userId, castAt, externalId: null, isDoubled },
      { marks: accountMarks(userId, castAt), network: null },
    );
    if (outcome.kind === 'accepted') {
      deps.onVote('accepted');
      const counted = texts.counted(bold(guild.name), relativeTime(castAt + COOLDOWN_MS));
      const lines = [counted, ...(isDoubled ? [texts.doubled] : []), ...(await totals(visit, false))];
      return answer(lines.join('\n'), await defaultButtons(visit));
    }
    if (outcome.kind === 'banned') {
      refuse('banned');
      return answer(bannedText(texts, outcome.ban));
    }
    refuse('cooldown');
    const lastVoteAt = outcome.kind === 'crowded' ? castAt : outcome.lastVoteAt;
    const text = texts.cooldown(bold(guild.name), relativeTime(lastVoteAt + COOLDOWN_MS));
    return answer(text, await defaultButtons(visit));
  }

  /** Why a vote would be rejected now. A voided vote still has a cooldown, which the votes do not show. */
  async function obstacle({ guild, userId, texts }: Visit): Promise<string | undefined> {
    const now = clock();
    const { guildId } = guild;
    const [rules, ban, lastVotes] = await Promise.all([
      store.integrity.rules(guildId),
      store.moderation.findBan(userId, now),
      store.listing.lastVotes(userId, [guildId], now - COOLDOWN_MS),
    ]);
    const canVoteAt = oldEnoughAt(userId, rules, now);
    if (canVoteAt !== null) return texts.youngAccount(fullTime(canVoteAt));
    if (ban) return bannedText(texts, ban);
    const lastVoteAt = lastVotes.get(guildId);
    if (lastVoteAt === undefined) return undefined;
    return texts.cooldown(bold(guild.name), relativeTime(lastVoteAt + COOLDOWN_MS));
  }

  async function status(visit: Visit): Promise<AppMessage> {
    const { guild, texts } = visit;
    const text = (await obstacle(visit)) ?? texts.canVote(bold(guild.name));
    return answer([text, ...(await totals(visit, true))].join('\n'), await defaultButtons(visit));
  }

  async function top(visit: Visit): Promise<AppMessage> {
    const { guild, texts } = visit;
    const { voters, total } = await deps.leaderboards.ofMonth(guild.guildId, clock(), TOP_VOTERS);
    if (voters.length === 0) return answer(texts.topEmpty(bold(guild.name)), [pageButton(visit)]);
    // A mention shows the name that people know in this guild. Nobody is notified: allowed_mentions is empty.
    const entries = voters.map(({ userId, votes }, index) =>
      texts.topEntry(index + 1, `<@${userId}>`, votes),
    );
    const lines = [texts.topTitle(bold(guild.name)), ...entries, texts.topTotal(total)];
    return answer(lines.join('\n'), [pageButton(visit)]);
  }

  async function remindOn(visit: Visit): Promise<AppMessage> {
    const { guild, userId, locale, texts } = visit;
    const { guildId } = guild;
    if (!hasReminders) return answer(texts.noReminders);
    const setting = await store.reminders.enable({ guildId, userId, locale, now: clock() });
    if (!setting) return answer(texts.notListed(plain(deps.siteName)));
    const next =
      setting.dueAt === null ? texts.reminderAfterVote : texts.nextReminder(relativeTime(setting.dueAt));
    const stop = actionButton(texts.buttons.stop, { action: 'remind-off', guildId });
    return answer(`${texts.remindersOn(bold(guild.name))} ${next}`, [pageButton(visit), stop]);
  }

  async function remindOff({ guild, userId, texts }: Visit): Promise<AppMessage> {
    const wereOn = await store.reminders.disable(guild.guildId, userId);
    return answer((wereOn ? texts.remindersOff : texts.remindersWereOff)(bold(guild.name)));
  }

  /** Reminders can also be turned off for a guild whose votes are suspended. */
  async function visitGuild(
    interaction: Action,
    guildId: string,
    siteUrl: string,
    run: Run,
  ): Promise<AppMessage> {
    const texts = appMessages[interaction.locale];
    const guild = await store.guilds.find(guildId);
    if (!guild)
      return answer(texts.notListed(plain(deps.siteName)), [linkButton(texts.buttons.site, siteUrl)]);
    if (!isActive(guild) && run !== remindOff) return answer(texts.suspended(bold(guild.name)));
    return run({ ...interaction, guild, texts, siteUrl });
  }

  type Run = (visit: Visit) => Promise<AppMessage>;
  const COMMANDS: Record<string, Run> = {
    vote,
    'vote-status': status,
    top,
    'remind on': remindOn,
    'remind off': remindOff,
  };
  const BUTTONS = { vote, 'remind-on': remindOn, 'remind-off': remindOff };

  return async (interaction, siteUrl) => {
    const texts = appMessages[interaction.locale];
    if (interaction.kind === 'button') {
      const pressed = readAction(interaction.customId);
      if (!pressed) return answer(texts.unknownAction);
      return visitGuild(interaction, pressed.guildId, siteUrl, BUTTONS[pressed.action]);
    }
    const { name, option, guildId } = interaction;
    const command = new Map(Object.entries(COMMANDS)).get(option === null ? name : `${name} ${option}`);
    if (!command) return answer(texts.unknownAction);
    return guildId === null
      ? answer(texts.inServersOnly)
      : visitGuild(interaction, guildId, siteUrl, command);
  };
}
