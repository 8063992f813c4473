import { isDeepStrictEqual } from 'node:util';
import type { Community, Fixture } from './fixture.ts';

const PARTS = [
  'activities',
  'audit',
  'bans',
  'claims',
  'deliveries',
  'endpoints',
  'guild',
  'key',
  'links',
  'profile',
  'rules',
  'votes',
] as const;

/** What somebody could change of a community, by the names that the table of access uses. */
export type Part = (typeof PARTS)[number];

export type State = Record<Part, unknown>;

export async function stateOf({ store, clock }: Fixture, { guildId }: Community): Promise<State> {
  return {
    activities: await store.activities.recent(guildId, 100),
    audit: await store.audit.recent(null, 100),
    bans: await store.moderation.bans(clock(), '', 100),
    // Votes that nobody has claimed yet.
    claims: await store.claims.pending(guildId, { after: 0, until: clock() }, null, 100),
    deliveries: await store.webhooks.deliveries(guildId, clock(), 100),
    endpoints: await store.webhooks.listEndpoints(guildId),
    guild: await store.guilds.find(guildId),
    key: await store.guilds.findKey(guildId),
    links: await store.integrity.linkSecrets(guildId),
    profile: await store.profiles.find(guildId),
    rules: await store.integrity.rules(guildId),
    votes: await store.votes.recent(guildId, null, null, 100),
  };
}

/** All that is another than before, in alphabetical order. */
export function changedParts(before: State, after: State): Part[] {
  return PARTS.filter((part) => !isDeepStrictEqual(before[part], after[part]));
}
