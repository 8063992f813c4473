/**
 * Who may do what: every route against everybody, for both ways to sign in. A new route without a row here fails the
 * test beside it. `HEAD` mirrors its `GET`, so it has no row of its own. `/metrics` is no route of this server but a
 * server on a port of its own, which only this machine reaches: test/observability/metrics.test.ts.
 */
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { rotateLinkSecret } from '../../src/store/keys.ts';
import type { Store } from '../../src/store/store.ts';
import { NOW, USER } from '../support/api.ts';
import { API_ROWS } from './access-api.ts';
import { ADMIN, ADMIN_ACTION, everybody, PERSON, PERSON_ACTION, PUBLIC, type Row } from './access-cells.ts';
import { OPERATOR_ROWS } from './access-operator.ts';
import { type Community, NAMES } from './fixture.ts';
import type { WayInKind } from './ways-in.ts';

/** As the forms of the dashboard name a vote. */
const CLAIMED_VOTE = `${Date.parse(NOW)}_${USER}`;

export const ACCESS_TABLE: readonly Row[] = [
  { route: 'GET /healthz', cells: PUBLIC },
  { route: 'GET /readyz', cells: PUBLIC },

  ...API_ROWS,

  // Only Discord can sign a request; test/discord shows what it can do.
  { route: 'POST /discord/interactions', form: noFields, changes: ['votes'], cells: everybody('unsigned') },

  { route: 'GET /docs', cells: PUBLIC },
  { route: 'GET /docs/', cells: PUBLIC },
  { route: 'GET /docs/guides', cells: PUBLIC },
  { route: 'GET /docs/guides/:name', path: '/docs/guides/curl', cells: PUBLIC },
  { route: 'GET /docs/files/:name', path: '/docs/files/docs.css', cells: PUBLIC },

  { route: 'GET /assets/*', path: '/assets/base.css', cells: PUBLIC },
  { route: 'GET /', cells: PUBLIC },
  { route: 'GET /robots.txt', cells: PUBLIC },
  { route: 'GET /sitemap.xml', cells: PUBLIC },
  { route: 'GET /manifest.webmanifest', cells: PUBLIC },
  { route: 'GET /favicon.ico', cells: PUBLIC },
  { route: 'GET /locale', path: '/locale?to=fr&back=/', cells: PUBLIC },
  { route: 'GET /sign-in', cells: PUBLIC },
  {
    route: 'POST /sign-in',
    wayIn: 'demo',
    form: () => ({ person: '200000000000000102' }),
    becomes: NAMES.voter,
    cells: PUBLIC,
  },
  {
    route: 'GET /sign-in/callback',
    wayIn: 'discord',
    begunIn: 'the own browser',
    becomes: 'Mona',
    cells: PUBLIC,
  },
  {
    route: 'GET /sign-in/callback',
    wayIn: 'discord',
    begunIn: 'another browser',
    cells: everybody('stale'),
  },
  { route: 'POST /sign-out', form: noFields, becomes: null, cells: PUBLIC },

  { route: 'GET /guild/:guildId', cells: PUBLIC },
  {
    route: 'GET /guild/:guildId/icon/:version',
    prepare: async ({ profiles }, { guildId }) => {
      const icon = { source: 's', version: 'v', type: 'image/png', bytes: Buffer.of(1) } as const;
      await profiles.setIcon(guildId, icon);
    },
    cells: PUBLIC,
  },
  { route: 'GET /guild/:guildId/card.png', cells: PUBLIC },
  { route: 'GET /guild/:guildId/badge.svg', cells: PUBLIC },
  { route: 'GET /guild/:guildId/vote', cells: PUBLIC },
  {
    route: 'POST /guild/:guildId/vote',
    form: noFields,
    changes: ['claims', 'deliveries', 'votes'],
    cells: PERSON,
  },

  {
    route: 'POST /account/name',
    form: () => ({ show: 'yes', back: '/' }),
    changes: ['names'],
    cells: PERSON_ACTION,
  },

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
  { route: 'GET /dashboard/:guild_id/settings/profile', cells: ADMIN },
  {
    route: 'POST /dashboard/:guild_id/settings/profile',
    form: () => ({ description: 'Ours' }),
    changes: ['activities', 'profile'],
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
  ...OPERATOR_ROWS,
];

/** The rows of a server with this way to sign in. */
export function rowsOf(kind: WayInKind): Row[] {
  return ACCESS_TABLE.filter(({ wayIn }) => wayIn === undefined || wayIn === kind);
}

/** The API reads no cookie and no body, and what Discord sends is signed, so these POST routes are not forms. */
export function isForm(route: string): boolean {
  return /^POST \/(?!(?:v7|compat|discord)\/)/.test(route);
}

/** Where the route is, for this community. */
export function addressOf({ route, path }: Row, community: Community): string {
  const { guildId, endpointId } = community;
  const [, pattern = ''] = route.split(' ');
  const address = typeof path === 'function' ? path(community) : (path ?? pattern);
  return address.replace(/:guild_?[iI]d/, guildId).replace(':endpoint_id', endpointId);
}

function noFields(): Record<string, string> {
  return {};
}

async function claimVote({ votes, claims }: Store, { guildId }: Community): Promise<void> {
  const now = Date.parse(NOW);
  await votes.cast({ guildId, userId: USER, castAt: now, externalId: null, isDoubled: false });
  const window = { after: now - 1, until: now };
  const render = () => '';
  const identity = { userId: USER };
  await claims.claim({ guildId, identity, window, oneRewardPerName: true, now, idempotency: null, render });
}

async function switchOff({ webhooks }: Store, { guildId, endpointId }: Community): Promise<void> {
  await webhooks.disableEndpoint(guildId, endpointId, 0, 'gone');
}

/** Leaves an event whose delivery was given up. */
async function failDelivery({ votes, webhooks }: Store, { guildId }: Community): Promise<void> {
  const now = Date.parse(NOW);
  await votes.cast({ guildId, userId: USER, castAt: now, externalId: null, isDoubled: false });
  const attempt = { at: now, status: 500, durationMs: 1, answer: '', error: null };
  const request = { now, until: now + 1, guildId, except: [], limit: 10 };
  for (const delivery of await webhooks.claim(request))
    await webhooks.finish(delivery, attempt, { state: 'failed' }, 'unknown');
}
