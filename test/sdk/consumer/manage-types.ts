/** Compiled, not run: the types of the management client in a strict project. */
import {
  type Ban,
  type Guild,
  type IneligibilityReason,
  isVotaryError,
  isVotaryValidationError,
  type UserExport,
  VotaryManager,
} from '@votary/sdk/manage';

const manager = new VotaryManager({ token: 'vto_a', baseUrl: 'https://example.org', locale: 'fr', fetch });
const { signal } = new AbortController();

export async function communities(): Promise<Guild> {
  const { guilds, pagination } = await manager.listGuilds({ q: 'a', limit: 5, signal });
  if (pagination.hasMore) await manager.listGuilds({ cursor: pagination.nextCursor });
  for await (const { name, premiumUntil } of manager.guilds()) show(name, premiumUntil?.getTime());
  const { key, replayed } = await manager.createGuildKey('1', { idempotencyKey: 'k', timeoutMs: 5 });
  show(key, guilds.length, replayed);
  await manager.deleteGuild('1', { confirm: '1' });
  return manager.updateGuild('1', { premiumUntil: new Date(), sanction: { reason: 'r' }, rateLimit: null });
}

export async function moderate(): Promise<[Ban, UserExport, number]> {
  for await (const { until } of manager.bans({ pageSize: 5 })) show(until?.getTime());
  const { batch, voided } = await manager.createVoid({ guildId: '1', mark: 'busy_network', dryRun: true });
  show(voided);
  const ban = await manager.createBan({ userId: '1', until: null });
  return [ban, await manager.getUser('1'), batch === null ? 0 : await manager.deleteVoid(batch)];
}

export async function vote(network: string | undefined): Promise<Date | IneligibilityReason | null> {
  try {
    const { vote, nextVoteAt } = await manager.castVote({ guildId: '1', userId: '2', network });
    show(vote.voteId, vote.timestamp.getTime(), vote.isDoubled);
    return nextVoteAt;
  } catch (error) {
    if (isVotaryValidationError(error)) show(error.fields.length);
    if (isVotaryError(error) && error.code === 'ALREADY_VOTED') return error.nextVoteAt;
    return isVotaryError(error) && error.code === 'NOT_ELIGIBLE' ? error.reason : null;
  }
}

export async function mistakes(): Promise<void> {
  // @ts-expect-error: an id is a string
  await manager.getGuild(1);
  // @ts-expect-error: deleting needs the id twice
  await manager.deleteGuild('1');
  // @ts-expect-error: a token is required
  new VotaryManager({ baseUrl: 'https://example.org' });
  // @ts-expect-error: one selection, not two
  await manager.createVoid({ guildId: '1', userId: '1', externalId: 'a' });
  // @ts-expect-error: the runtime for tests is not part of the public types
  new VotaryManager({ token: 'vto_a', baseUrl: 'https://example.org' }, {});
}

function show(...values: unknown[]): number {
  return values.length;
}
