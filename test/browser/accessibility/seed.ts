/** What the pages of the accessibility tests show: communities, votes, endpoints and everything that an operator sees. */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '../../../src/domain/clock.ts';
import { TOKEN_SCOPES } from '../../../src/domain/keys/api-token.ts';
import { MARK_BITS } from '../../../src/domain/votes/marks.ts';
import { createBatchId } from '../../../src/domain/votes/voids.ts';
import { issueKey } from '../../../src/store/guilds/guilds.ts';
import { rotateLinkSecret } from '../../../src/store/moderation/link-secrets.ts';
import type { EndpointInput } from '../../../src/store/webhooks/admin.ts';
import { createEndpoints } from '../../../src/webhooks/endpoints.ts';
import { endpointDeps } from '../../../src/webhooks/open.ts';
import type { StartedSite } from '../../support/browser/browser.ts';
import { CHANNEL_ID, CHANNEL_TOKEN } from '../../webhooks/discord/discord-channel.ts';
import { startReceiver } from '../../webhooks/receiver.ts';

/** The guild that the demo user Alex administers, and that of Charlie. */
export const GUILD = '100000000000000001';
export const GUILD_OF_CHARLIE = '100000000000000002';
export const CASTLE = '300000000000000001';
export const TOWER = '300000000000000002';
export const UNLISTED = '300000000000000003';
export const USER = '200000000000000001';
export const CHANNEL_URL = `https://discord.com/api/webhooks/${CHANNEL_ID}/${CHANNEL_TOKEN}`;

/** A response without spaces, longer than any screen is wide. */
const LONG_RESPONSE = `</pre><img src=x onerror="alert(1)">${'w'.repeat(300)}`;

export type EndpointIds = Record<'failing' | 'disabled' | 'channel' | 'server', string>;

export async function seed(site: StartedSite): Promise<EndpointIds> {
  await addCommunities(site);
  await addVotes(site);
  await moderate(site);
  return addEndpoints(site);
}

async function addCommunities({ store, clock, secrets }: StartedSite): Promise<void> {
  const now = clock();
  for (const [guildId, name] of [
    [GUILD, 'A community with a rather long name'],
    [GUILD_OF_CHARLIE, 'Charlie’s Corner'],
    [CASTLE, 'Castle'],
    [TOWER, 'Tower'],
    [UNLISTED, '🔥'],
  ] as const)
    await store.guilds.add({ guildId, name, createdAt: now });
  await store.guilds.setDoubling(CASTLE, 'always');
  await store.guilds.setHidden(UNLISTED, now);
  await store.profiles.set(UNLISTED, {
    description: 'W'.repeat(300),
    tags: ['x'.repeat(24), 'עברית'],
    language: 'he',
    invite: 'https://discord.gg/long',
    about: 'First line\n\nSecond paragraph',
    links: ['https://example.org/shop', 'https://www.example.net/'],
  });
  await store.profiles.set(GUILD, {
    description: 'A quiet place for builders',
    tags: ['minecraft', 'role-play'],
    language: 'fr',
    invite: 'https://discord.gg/cafe',
    about: 'First line\n\nSecond paragraph',
    links: ['https://example.org/shop', 'https://www.example.net/'],
  });
  await issueKey(store, secrets, GUILD, now);
  await rotateLinkSecret(store, secrets, GUILD, now);
  await store.activities.record({ guildId: GUILD, at: now, actor: null, action: 'key_generated' });
  await store.users.remember({ userId: USER, name: 'Camille', avatar: null }, now);
  await store.users.setShowName(USER, true);
}

/** Two months of votes, of which the newest is claimed. */
async function addVotes({ store, clock }: StartedSite): Promise<void> {
  const now = clock();
  const votes = Array.from({ length: 60 }, (_, index) => ({
    guildId: GUILD,
    userId: index % 2 === 0 ? USER : '200000000000000003',
    castAt: now - (index + 1) * 11 * HOUR_MS,
    externalId: index % 3 === 0 ? 'Steve_42' : null,
    isDoubled: index % 4 === 0,
  }));
  await store.votes.import(
    (async function* () {
      yield votes;
    })(),
    now,
  );
  await store.claims.claim({
    guildId: GUILD,
    identity: { userId: USER },
    window: { after: now - 30 * HOUR_MS, until: now },
    oneRewardPerName: true,
    consumer: 'default',
    playerNames: 'exact',
    now,
    idempotency: null,
    render: () => '',
  });
}

/** Unusual votes, of which one is voided, a ban, and the log of the operators. */
async function moderate({ store, clock }: StartedSite): Promise<void> {
  const castAt = clock();
  const vote = { guildId: GUILD, userId: USER, castAt, externalId: 'Steve_42', isDoubled: false };
  await store.goals.set(GUILD, { period: 'week', target: 1500 }, castAt);
  await store.votes.cast(vote, { marks: MARK_BITS.young_account | MARK_BITS.busy_network, network: null });
  const other = { ...vote, userId: '200000000000000002' };
  await store.votes.cast(other, { marks: MARK_BITS.shared_name, network: null });
  const period = { from: castAt, to: castAt + 1 };
  const batch = { batch: createBatchId(), reason: 'A farm of scripted accounts', voidedAt: castAt };
  await store.moderation.void({ guildId: GUILD, selection: { userId: other.userId }, period, ...batch });
  await store.moderation.ban({
    userId: '200000000000000009',
    since: castAt,
    until: null,
    reason: 'A test of the list',
    publicReason: null,
  });
  for (const [number, expiresAt] of [castAt, null].entries())
    await store.tokens.add({
      ...{ tokenId: `tok_${number}`, hash: `hash ${number}`, name: 'Listing site', scopes: TOKEN_SCOPES },
      ...{ createdAt: castAt, expiresAt },
    });
  const detail = { votes: 1, ...batch };
  await store.audit.record({ at: castAt, actor: null, action: 'votes_voided', guildId: GUILD, detail });
}

/** One endpoint in each state, and deliveries that failed. */
async function addEndpoints({ store, clock, secrets }: StartedSite): Promise<EndpointIds> {
  const endpoints = createEndpoints(
    endpointDeps({ store, clock, secrets, random: () => 0.5, allowsLoopback: true }),
  );
  const add = async (input: Omit<EndpointInput, 'events'>): Promise<string> => {
    const added = await endpoints.addEndpoint(GUILD, { ...input, events: ['vote_received'] }, null);
    assert.ok(added.ok);
    return added.endpoint.endpointId;
  };
  const receiver = await startReceiver();
  receiver.answer = (_request, response) => response.writeHead(503).end(LONG_RESPONSE);
  const channel = await add({ kind: 'discord', url: CHANNEL_URL });
  await endpoints.pauseEndpoint(GUILD, channel, null);
  const disabled = await add({ url: `${receiver.url}/off` });
  await store.webhooks.disableEndpoint(GUILD, disabled, clock() - DAY_MS, 'gone');
  const server = await add({ kind: 'votifier', url: '127.0.0.1:1029', token: 'x' });
  const failing = await add({ url: `${receiver.url}?q=%3Cb%3E&${'w'.repeat(300)}` });
  clock.advance(HOUR_MS);
  const vote = { guildId: GUILD, userId: USER, castAt: clock(), externalId: null, isDoubled: false };
  await store.votes.cast(vote);
  await receiver.untilReceived(1);
  // The receiver gets it a moment before the log is updated.
  const isLogged = async () =>
    (await store.webhooks.deliveries(GUILD, clock(), 10)).some(
      ({ endpointId, lastAttempt }) => endpointId === failing && lastAttempt !== null,
    );
  while (!(await isLogged())) await nextTurn();
  return { failing, disabled, channel, server };
}
