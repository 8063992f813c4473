import type { Vote } from '../../domain/vote.ts';

export type VoteRow = {
  guild_id: string;
  user_id: string;
  cast_at: number;
  external_id: string | null;
  is_doubled: number;
};

export function toVote(row: VoteRow): Vote {
  return {
    guildId: row.guild_id,
    userId: row.user_id,
    castAt: row.cast_at,
    externalId: row.external_id,
    isDoubled: row.is_doubled === 1,
  };
}
