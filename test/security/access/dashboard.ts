/** The rows of the dashboard: for the admins of the community. */
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { rotateLinkSecret } from '../../../src/store/moderation/link-secrets.ts';
import type { Store } from '../../../src/store/store.ts';
import { NOW, USER } from '../../support/api.ts';
import type { Community } from '../fixture.ts';
import { ADMIN, ADMIN_ACTION, noFields, PERSON, type Row } from './cells.ts';

/** The way dashboard forms identify a vote. */
const CLAIMED_VOTE = `${Date.parse(NOW)}_${USER}`;

export const DASHBOARD_ROWS: readonly Row[] = [
  { route: 'GET /dashboard', cells: PERSON },
  {
    route: 'POST /dashboard/:guild_id/list',
    form: noFields,
    prepare: async ({ guilds }, { guildId }) => void (await guilds.remove(guildId)),
    changes: ['activities', 'guild'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id', cells: ADMIN },
  { route: 'GET /dashboard/:guild_id/key', cells: ADMIN },
  { route: 'GET /dashboard/:guild_id/key/reveal', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/key/reveal',
    form: noFields,
    changes: ['activities'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/key/copy',
    form: noFields,
    changes: ['activities'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/checklist/hide',
    form: noFields,
    changes: ['checklist'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/key/test-vote',
    form: noFields,
    changes: ['activities', 'testVote'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/key/regenerate', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/key/new',
    form: ({ keyVersion }) => ({ replaces: keyVersion }),
    changes: ['activities', 'key'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/votes', cells: ADMIN },
  { route: 'GET /dashboard/:guild_id/votes.csv', cells: ADMIN },
  { route: 'GET /dashboard/:guild_id/live', cells: ADMIN },
  {
    route: 'GET /dashboard/:guild_id/votes/release',
    path: `/dashboard/:guild_id/votes/release?vote=${CLAIMED_VOTE}`,
    prepare: claimVote,
    cells: ADMIN,
  },
  {
    route: 'POST /dashboard/:guild_id/votes/release',
    form: () => ({ vote: CLAIMED_VOTE, claimed_at: NOW }),
    prepare: claimVote,
    changes: ['activities', 'claims'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/webhooks', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/webhooks',
    form: () => ({ url: 'http://127.0.0.1:1029/votes', vote_received: 'on' }),
    changes: ['activities', 'endpoints'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/webhooks/replay', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/webhooks/replay',
    form: () => ({ since: '2026-11-15T00:00' }),
    prepare: failDelivery,
    changes: ['deliveries'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/webhooks/:endpoint_id/reveal', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/webhooks/:endpoint_id/reveal',
    form: noFields,
    changes: ['activities'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/webhooks/:endpoint_id/test', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/webhooks/:endpoint_id/test',
    form: noFields,
    changes: ['deliveries'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/webhooks/:endpoint_id/enable',
    form: noFields,
    prepare: switchOff,
    changes: ['activities', 'endpoints'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/webhooks/:endpoint_id/pause',
    form: noFields,
    changes: ['activities', 'endpoints'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/webhooks/:endpoint_id/resume',
    form: noFields,
    prepare: async ({ webhooks }, { guildId, endpointId }) =>
      void (await webhooks.setPaused(guildId, endpointId, 0)),
    changes: ['activities', 'endpoints'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/webhooks/:endpoint_id/edit', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/webhooks/:endpoint_id/edit',
    form: () => ({ url: 'http://127.0.0.1:1029/moved', name: 'Moved', vote_received: 'on' }),
    changes: ['activities', 'endpoints'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/webhooks/:endpoint_id/rotate', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/webhooks/:endpoint_id/rotate',
    form: ({ endpointVersion }) => ({ replaces: endpointVersion }),
    changes: ['activities', 'endpoints'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/webhooks/:endpoint_id/remove', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/webhooks/:endpoint_id/remove',
    form: noFields,
    changes: ['activities', 'endpoints'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/share', cells: ADMIN },
  { route: 'GET /dashboard/:guild_id/settings', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/settings',
    form: () => ({ doubling: 'always' }),
    changes: ['activities', 'guild'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/settings/rules',
    form: () => ({ min_account_age_days: '30', members_only: 'on' }),
    changes: ['activities', 'rules'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/settings/goal',
    form: () => ({ goal_period: 'day', goal_votes: '100' }),
    changes: ['activities', 'goal'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/settings/consumers/remove',
    prepare: async ({ consumers }, { guildId }) =>
      void (await consumers.use(guildId, 'bot', Date.parse(NOW))),
    form: () => ({ consumer: 'bot' }),
    changes: ['activities', 'consumers'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/settings/voter-role',
    form: () => ({ role_rule: 'recent', role_id: '500000000000000001', role_amount: '12' }),
    changes: ['activities', 'voterRole'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/settings/profile', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/settings/profile',
    form: () => ({ description: 'Ours' }),
    changes: ['activities', 'profile'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/settings/banner', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/settings/banner',
    form: () => ({ alt: 'A castle' }),
    prepare: addBanner,
    changes: ['activities', 'banner'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/settings/banner/remove',
    form: noFields,
    prepare: addBanner,
    changes: ['activities', 'banner'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/settings/listing',
    form: () => ({ listed: 'no' }),
    changes: ['activities', 'guild'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/settings/link-secret/reveal', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/settings/link-secret/reveal',
    form: noFields,
    prepare: async (store, { guildId }) => {
      await rotateLinkSecret(store, deriveSecrets('a master secret for tests'), guildId, Date.parse(NOW));
    },
    changes: ['activities'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/settings/link-secret/rotate',
    form: noFields,
    changes: ['activities', 'links'],
    cells: ADMIN_ACTION,
  },
  {
    route: 'POST /dashboard/:guild_id/settings/link-secret/revoke',
    form: noFields,
    changes: ['activities'],
    cells: ADMIN_ACTION,
  },
  { route: 'GET /dashboard/:guild_id/activity', cells: ADMIN },
];

async function claimVote({ votes, claims }: Store, { guildId }: Community): Promise<void> {
  const now = Date.parse(NOW);
  await votes.cast({ guildId, userId: USER, castAt: now, externalId: null, isDoubled: false });
  const window = { after: now - 1, until: now };
  const render = () => '';
  const identity = { userId: USER };
  await claims.claim({
    guildId,
    identity,
    window,
    oneRewardPerName: true,
    consumer: 'default',
    playerNames: 'exact',
    now,
    idempotency: null,
    render,
  });
}

async function switchOff({ webhooks }: Store, { guildId, endpointId }: Community): Promise<void> {
  await webhooks.disableEndpoint(guildId, endpointId, 0, 'gone');
}

/** Creates an event whose delivery has failed. */
async function failDelivery({ votes, webhooks }: Store, { guildId }: Community): Promise<void> {
  const now = Date.parse(NOW);
  await votes.cast({ guildId, userId: USER, castAt: now, externalId: null, isDoubled: false });
  const attempt = { at: now, status: 500, durationMs: 1, answer: '', error: null };
  const request = { now, until: now + 1, guildIds: [guildId], except: [], limit: 10 };
  for (const delivery of await webhooks.claim(await webhooks.findDue(request), request))
    await webhooks.finish(delivery, attempt, { state: 'failed' }, 'unknown');
}

async function addBanner({ banners }: Store, { guildId }: Community): Promise<void> {
  await banners.set(guildId, { version: 'v', alt: '', bytes: Buffer.of(1) });
}
