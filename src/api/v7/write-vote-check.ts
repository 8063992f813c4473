import type { VoteCheckResult } from './schemas.ts';

/** The answer of a vote check as JSON. No value needs escaping: ids are digits, dates are ours. */
export function writeVoteCheck(result: VoteCheckResult): string {
  const { ok, guild_id, has_voted, is_doubled, last_vote_at, next_vote_at, cooldown_remaining_seconds } =
    result;
  return `{"ok":${ok},"guild_id":"${guild_id}","has_voted":${has_voted},"is_doubled":${is_doubled},"last_vote_at":${quoted(last_vote_at)},"next_vote_at":${quoted(next_vote_at)},"cooldown_remaining_seconds":${cooldown_remaining_seconds}}`;
}

function quoted(date: string | null): string {
  return date === null ? 'null' : `"${date}"`;
}
