/** The paths of hostile requests. hostile-fixture.ts creates what is there. */
import { GUILD } from '../../lib/site.ts';

/** The last webhook of the community exists to be removed. */
export const ENDPOINTS = ['ep_00000000000000aa', 'ep_00000000000000bb'] as const;
export const SEEDED_USER = '200000000000000001';
/** On this machine, where connections are refused immediately. */
export const NOBODY_LISTENS = 'http://127.0.0.1:1029/hook';

export const API_PATHS = [
  '/v7/vote-check',
  '/v7/check-vote',
  '/v7/guild/votes',
  `/v7/guild/votes/users/${SEEDED_USER}`,
  '/v7/vote-checks',
  '/v7/guild/claims',
  '/v7/guild/claimable',
  '/v7/guild/claims/pending',
  '/v7/guild/feed',
  '/v7/guild/leaderboard',
  '/v7/guild/goal',
  '/v7/openapi.json',
  '/v7/nothing',
  '/v7',
];

/** A community of its own: requests that get past validation rename, suspend and delete it. */
export const MANAGED_GUILD = '100000000000000077';

export const MANAGE_PATHS = [
  '/guilds',
  `/guilds/${MANAGED_GUILD}`,
  `/guilds/${MANAGED_GUILD}/key`,
  '/votes',
  '/bans',
  `/bans/${SEEDED_USER}`,
  '/voids',
  '/voids/void_00',
  `/users/${SEEDED_USER}`,
  '/openapi.json',
  '/nothing',
  '',
].map((rest) => `/manage/v1${rest}`);

const TABS = [
  '',
  '/key',
  '/votes',
  '/votes/release',
  '/votes.csv',
  '/webhooks',
  '/settings',
  '/settings/profile',
  '/settings/banner',
  '/settings/rules',
  '/activity',
];
const ENDPOINT_ACTIONS = ['reveal', 'test', 'enable', 'rotate'].map(
  (action) => `/webhooks/${ENDPOINTS[0]}/${action}`,
);

const DASHBOARD_PATHS = [
  ...TABS,
  ...ENDPOINT_ACTIONS,
  `/webhooks/${ENDPOINTS[1]}/remove`,
  '/webhooks/replay',
  '/key/reveal',
  '/key/regenerate',
  '/key/new',
  '/list',
].map((rest) => `/dashboard/${GUILD}${rest}`);

/** Without those that would suspend the community or end its Premium, which later requests need. */
const OPERATOR_PATHS = [
  '',
  '/communities',
  `/communities/${GUILD}`,
  `/communities/${GUILD}/listing`,
  '/unusual',
  '/void',
  '/voided',
  '/voided/void_00/restore',
  '/ban',
  '/bans',
  `/bans/${SEEDED_USER}/lift`,
  '/tokens',
  '/tokens/tok_x/revoke',
  `/communities/${GUILD}/rate-limit`,
  '/log',
].map((rest) => `/operator${rest}`);

const TOPGG_PATHS = [
  '/bots/check',
  '/bots/400000000000000001/check',
  '/bots/votes',
  '/bots/stats',
  '/weekend',
  '/v1/projects/@me',
  '/v1/projects/@me/votes',
  `/v1/projects/@me/votes/${SEEDED_USER}`,
  '/v1/projects/@me/commands',
  '/v1/nothing',
].map((rest) => `/compat/topgg/api${rest}`);

export const SITE_PATHS = [
  ...DASHBOARD_PATHS,
  ...OPERATOR_PATHS,
  '/dashboard',
  `/guild/${GUILD}/vote`,
  `/guild/${GUILD}/vote`,
  '/sign-in',
  '/sign-in/callback',
  '/sign-out',
  '/locale',
  '/',
  '/docs',
  '/docs/guides/x',
  '/docs/guides/signed-links',
  `/guild/${GUILD}`,
  `/guild/${GUILD}/badge.svg`,
  `/guild/${GUILD}/card.png`,
  `/guild/${GUILD}/banner/0`,
  '/robots.txt',
  '/privacy',
  '/sitemap.xml',
  '/manifest.webmanifest',
  '/discord/interactions',
  '/docs/files/docs.css',
  '/assets/base.css',
  '/assets/../../package.json',
  '/healthz',
  '/readyz',
  '/v6/vote-check',
  '/compat/listforge/api/',
  ...TOPGG_PATHS,
];
