/**
 * Who can do what: every route for every kind of caller, with both kinds of sign-in. A new route without a row here
 * fails access-table.test.ts. `HEAD` mirrors its `GET`, so it has no row. `/metrics` is not a route of this server: it
 * has a separate port that only this machine can reach, see test/observability/metrics.test.ts.
 */

import { type Community, NAMES } from '../fixture.ts';
import { API_ROWS } from './api.ts';
import { everybody, noFields, PERSON, PERSON_ACTION, PUBLIC, type Row } from './cells.ts';
import { DASHBOARD_ROWS } from './dashboard.ts';
import { MANAGE_ROWS } from './manage.ts';
import { OPERATOR_ROWS } from './operator.ts';
import type { SignInKind } from './sign-in-methods.ts';

export const ACCESS_TABLE: readonly Row[] = [
  { route: 'GET /healthz', cells: PUBLIC },
  { route: 'GET /readyz', cells: PUBLIC },

  ...API_ROWS,
  ...MANAGE_ROWS,

  // Only Discord can sign a request; test/discord covers what it can do.
  { route: 'POST /discord/interactions', form: noFields, changes: ['votes'], cells: everybody('unsigned') },

  { route: 'GET /docs', cells: PUBLIC },
  { route: 'GET /docs/interactive', cells: PUBLIC },
  { route: 'GET /docs/', cells: PUBLIC },
  { route: 'GET /docs/guides', cells: PUBLIC },
  { route: 'GET /docs/guides/:name', path: '/docs/guides/curl', cells: PUBLIC },
  { route: 'GET /docs/clients', cells: PUBLIC },
  { route: 'GET /docs/files/:name', path: '/docs/files/docs.css', cells: PUBLIC },
  { route: 'GET /docs/files/:name', path: '/docs/files/votary.py', cells: PUBLIC },

  { route: 'GET /assets/*', path: '/assets/base.css', cells: PUBLIC },
  { route: 'GET /', cells: PUBLIC },
  { route: 'GET /robots.txt', cells: PUBLIC },
  { route: 'GET /privacy', cells: PUBLIC },
  { route: 'GET /sitemap.xml', cells: PUBLIC },
  { route: 'GET /sitemap-:part(^[1-9][0-9]{0,3}).xml', path: '/sitemap-1.xml', cells: PUBLIC },
  { route: 'GET /manifest.webmanifest', cells: PUBLIC },
  { route: 'GET /favicon.ico', cells: PUBLIC },
  { route: 'GET /apple-touch-icon.png', cells: PUBLIC },
  { route: 'GET /locale', path: '/locale?to=fr&back=/', cells: PUBLIC },
  { route: 'GET /sign-in', cells: PUBLIC },
  {
    route: 'POST /sign-in',
    signInKind: 'demo',
    form: () => ({ person: '200000000000000102' }),
    becomes: NAMES.voter,
    cells: PUBLIC,
  },
  {
    route: 'GET /sign-in/callback',
    signInKind: 'discord',
    begunIn: 'the own browser',
    becomes: 'Mona',
    cells: PUBLIC,
  },
  {
    route: 'GET /sign-in/callback',
    signInKind: 'discord',
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
  {
    route: 'GET /guild/:guildId/banner/:version',
    prepare: async ({ banners }, { guildId }) => {
      await banners.set(guildId, { version: 'v', alt: '', bytes: Buffer.of(1) });
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

  ...DASHBOARD_ROWS,
  ...OPERATOR_ROWS,
];

/** The rows of a server with this kind of sign-in. */
export function rowsOf(kind: SignInKind): Row[] {
  return ACCESS_TABLE.filter(({ signInKind }) => signInKind === undefined || signInKind === kind);
}

/** The APIs read no cookies, and requests of Discord are signed, so these POST routes are not forms. */
export function isForm(route: string): boolean {
  return /^POST \/(?!(?:v7|manage|compat|discord)\/)/.test(route);
}

/** The path of the route for this community. */
export function addressOf({ route, path }: Row, community: Community): string {
  const { guildId, endpointId } = community;
  const [, pattern = ''] = route.split(' ');
  const address = typeof path === 'function' ? path(community) : (path ?? pattern);
  return address.replace(/:guild_?[iI]d/, guildId).replace(':endpoint_id', endpointId);
}
