import { isDeepStrictEqual } from 'node:util';
import { DEMO_PEOPLE } from '../../../src/site/sign-in/demo-sign-in.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Community, Fixture } from '../fixture.ts';

const PARTS = [
  'activities',
  'audit',
  'banner',
  'bans',
  'checklist',
  'claims',
  'consumers',
  'deliveries',
  'endpoints',
  'goal',
  'voterRole',
  'guild',
  'key',
  'links',
  'names',
  'profile',
  'rules',
  'testVote',
  'tokens',
  'votes',
] as const;

/** Everything that can change in a community, with the names of the access table. */
export type Part = (typeof PARTS)[number];

export type State = Record<Part, unknown>;

export async function stateOf({ store, clock }: Fixture, { guildId }: Community): Promise<State> {
  return {
    activities: await store.activities.recent(guildId, 100),
    audit: await store.audit.recent(null, 100),
    banner: await store.banners.find(guildId),
    bans: await store.moderation.bans(clock(), '', 100),
    checklist: (await store.milestones.find(guildId)).isChecklistHidden,
    // Votes that are not claimed yet.
    claims: await store.claims.pending(
      { guildId, consumer: 'default' },
      { after: 0, until: clock() },
      null,
      100,
    ),
    consumers: await store.consumers.list(guildId),
    deliveries: await store.webhooks.deliveries(guildId, clock(), 100),
    endpoints: await store.webhooks.listEndpoints(guildId),
    goal: await store.goals.find(guildId),
    guild: await store.guilds.find(guildId),
    key: await store.guilds.findKey(guildId),
    links: await store.integrity.linkSecrets(guildId),
    names: await namesShown(store),
    profile: await store.profiles.find(guildId),
    rules: await store.integrity.rules(guildId),
    testVote: await store.testVotes.find(guildId),
    tokens: await store.tokens.list(),
    voterRole: await store.voterRoles.find(guildId),
    votes: await store.votes.recent(guildId, null, null, 100),
  };
}

/** Which of the users who sign in appear by name. Not part of a community, but changed by a form. */
async function namesShown({ users }: Store): Promise<string[]> {
  const known = await users.find(DEMO_PEOPLE.map(({ userId }) => userId));
  return [...known.values()].filter(({ showName }) => showName).map(({ name }) => name);
}

/** All differences, in alphabetical order. */
export function changedParts(before: State, after: State): Part[] {
  return PARTS.filter((part) => !isDeepStrictEqual(before[part], after[part]));
}
