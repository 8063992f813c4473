import { Fields } from '../fields.ts';
import { readPagination } from '../responses.ts';
import type {
  Ban,
  BanPage,
  CastVote,
  ErasedUser,
  Guild,
  GuildPage,
  UserExport,
  VoidResult,
} from './types.ts';

export function readGuildPage(body: unknown): GuildPage {
  const fields = new Fields(body);
  return {
    guilds: fields.list('guilds', readGuildFields),
    pagination: readPagination(fields.object('pagination')),
  };
}

export function readGuild(body: unknown): Guild {
  return readGuildFields(new Fields(body).object('guild'));
}

function readGuildFields(fields: Fields): Guild {
  const sanction = fields.objectOrNull('sanction');
  const goal = fields.objectOrNull('goal');
  return {
    guildId: fields.text('guild_id'),
    name: fields.text('name'),
    listed: fields.flag('listed'),
    premiumUntil: fields.dateOrNull('premium_until'),
    sanction: sanction && { reason: sanction.textOrNull('reason'), since: sanction.date('since') },
    rateLimit: fields.numberOrNull('rate_limit'),
    playerNames: fields.text('player_names'),
    goal: goal && { period: goal.text('period'), target: goal.number('target') },
    hasKey: fields.flag('has_key'),
    createdAt: fields.date('created_at'),
  };
}

export function readKey(body: unknown): { key: string } {
  return { key: new Fields(body).text('key') };
}

/** Deletions return the id of what was deleted, which proves that the response is from this API. */
export function readDeletedGuild(body: unknown): void {
  new Fields(body).text('guild_id');
}

export function readLiftedBan(body: unknown): void {
  new Fields(body).text('user_id');
}

export function readCastVote(body: unknown): CastVote {
  const fields = new Fields(body);
  const vote = fields.object('vote');
  return {
    vote: {
      voteId: vote.text('vote_id'),
      guildId: vote.text('guild_id'),
      userId: vote.text('user_id'),
      externalId: vote.textOrNull('external_id'),
      timestamp: vote.date('timestamp'),
      isDoubled: vote.flag('is_doubled'),
    },
    nextVoteAt: fields.date('next_vote_at'),
  };
}

export function readBanPage(body: unknown): BanPage {
  const fields = new Fields(body);
  return {
    bans: fields.list('bans', readBanFields),
    pagination: readPagination(fields.object('pagination')),
  };
}

export function readBan(body: unknown): Ban {
  return readBanFields(new Fields(body).object('ban'));
}

function readBanFields(fields: Fields): Ban {
  return {
    userId: fields.text('user_id'),
    since: fields.date('since'),
    until: fields.dateOrNull('until'),
    reason: fields.textOrNull('reason'),
    publicReason: fields.textOrNull('public_reason'),
  };
}

export function readVoid(body: unknown): VoidResult {
  const fields = new Fields(body);
  return { batch: fields.textOrNull('batch'), voided: fields.number('voided') };
}

export function readRestored(body: unknown): number {
  return new Fields(body).number('restored');
}

export function readUserExport(body: object): UserExport {
  const fields = new Fields(body);
  const entries = (name: string) => fields.list(name, (entry) => entry.toObject());
  const entry = (name: string) => fields.objectOrNull(name)?.toObject() ?? null;
  const { ok: _ok, ...others } = fields.toObject();
  return {
    ...others,
    user_id: fields.text('user_id'),
    exported_at: fields.text('exported_at'),
    profile: entry('profile'),
    ban: entry('ban'),
    signed_out_at: fields.textOrNull('signed_out_at'),
    reminders: entries('reminders'),
    voter_roles: entries('voter_roles'),
    votes: entries('votes'),
    cooldowns: entries('cooldowns'),
    webhook_events: entries('webhook_events'),
    claim_responses: entries('claim_responses'),
    activities: entries('activities'),
    operator_actions: entries('operator_actions'),
  };
}

export function readErased(body: unknown): ErasedUser {
  const fields = new Fields(body);
  return { votes: fields.number('votes'), guilds: fields.number('guilds') };
}
