/**
 * What the commands and buttons of the app do. Votes follow the rules of the voting page (src/voting), except those about
 * networks: Discord does not share the addresses of its users.
 *
 *   const run = createCommands(deps);
 *   const message = await run(interaction, 'https://votes.example.org');
 */

import type { Clock } from '../domain/clock.ts';
import { type Guild, isActive } from '../domain/guild.ts';
import { standingText } from '../domain/votes/standing-messages.ts';
import { voteUrl } from '../domain/votes/vote-link.ts';
import type { Store } from '../store/store.ts';
import type { Leaderboards } from '../store/votes/leaderboards.ts';
import type { Voting } from '../voting/cast-vote.ts';
import type { AccountRefusal, Voter } from '../voting/eligibility.ts';
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
  voting: Voting;
  leaderboards: Leaderboards;
  clock: Clock;
  siteName: string;
  /** Whether direct messages can be sent. */
  hasReminders: boolean;
};

export type Action = Exclude<Interaction, { kind: 'ping' }>;

export type RunCommand = (interaction: Action, siteUrl: string) => Promise<AppMessage>;

/** A user acting on a guild that can be voted for. `texts` are in their language. */
type Visit = Caller & { guild: Guild; texts: AppMessages; siteUrl: string };

const TOP_VOTERS = 10;

export function createCommands(deps: CommandDeps): RunCommand {
  const { store, voting, clock, hasReminders } = deps;

  const pageButton = ({ texts, siteUrl, guild }: Visit) =>
    linkButton(texts.buttons.votePage, voteUrl(siteUrl, guild.guildId));

  /** The voting page, and reminders unless they are on. */
  async function defaultButtons(visit: Visit) {
    const { guild, userId, texts } = visit;
    const isOffered = hasReminders && !(await store.reminders.find(guild.guildId, userId));
    const remind = actionButton(texts.buttons.remind, { action: 'remind-on', guildId: guild.guildId });
    return [pageButton(visit), ...(isOffered ? [remind] : [])];
  }

  /** Optional information; errors are ignored. */
  async function totals({ guild, userId, locale }: Visit): Promise<string[]> {
    try {
      const standing = await store.votes.standing(guild.guildId, userId, clock());
      if (standing.totalVotes === 0) return [];
      const { totals, rank, progress } = standingText(locale, standing);
      return [totals, ...(rank === null ? [] : [`${rank} ${progress}.`])];
    } catch {
      return [];
    }
  }

  /** Users who run a command in the guild are members; a button in a direct message proves nothing. */
  function voterOf({ userId, guildId, guild }: Visit): Voter {
    const isInGuild = guildId === guild.guildId;
    return { userId, address: null, isMember: async () => isInGuild || 'unknown' };
  }

  async function vote(visit: Visit): Promise<AppMessage> {
    const { guild, texts } = visit;
    const name = bold(guild.name);
    const outcome = await voting.cast({
      guild,
      voter: voterOf(visit),
      externalId: null,
      signature: null,
      solution: 'waived',
    });
    switch (outcome.kind) {
      case 'accepted': {
        const counted = texts.counted(name, relativeTime(outcome.canVoteAt));
        const doubled = outcome.vote.isDoubled ? [texts.doubled] : [];
        const lines = [counted, ...doubled, ...(await totals(visit))];
        return answer(lines.join('\n'), await defaultButtons(visit));
      }
      case 'cooldown':
        return answer(accountText(visit, outcome), await defaultButtons(visit));
      case 'young_account':
      case 'banned':
        return answer(accountText(visit, outcome));
      case 'sanctioned':
        return answer(texts.suspended(name));
      case 'maintenance':
        return answer(texts.maintenance(outcome.message));
      case 'bad_link':
        return answer(texts.signedLinksOnly(name));
      case 'not_member':
      case 'membership_unknown':
        return answer(texts.membersOnly(name), [pageButton(visit)]);
      case 'busy_network':
      case 'challenge':
        throw new Error('a vote without a network was refused because of its network');
    }
  }

  function accountText({ guild, texts }: Visit, refusal: AccountRefusal): string {
    switch (refusal.kind) {
      case 'young_account':
        return texts.youngAccount(fullTime(refusal.canVoteAt));
      case 'banned': {
        const { until } = refusal.ban;
        return until === null ? texts.banned : texts.bannedUntil(fullTime(until));
      }
      case 'cooldown':
        return texts.cooldown(bold(guild.name), relativeTime(refusal.canVoteAt));
    }
  }

  async function status(visit: Visit): Promise<AppMessage> {
    const { guild, userId, texts } = visit;
    const refusal = await voting.statusOf(guild.guildId, userId);
    const text = refusal ? accountText(visit, refusal) : texts.canVote(bold(guild.name));
    return answer([text, ...(await totals(visit))].join('\n'), await defaultButtons(visit));
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
