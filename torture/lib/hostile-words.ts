/** The building blocks of hostile requests. The paths are those of hostile-fixture.ts. */
import { GUILD } from './site.ts';

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
  '/v7/guild/claims/pending',
  '/v7/guild/feed',
  '/v7/openapi.json',
  '/v7/nothing',
  '/v7',
];

const TABS = ['', '/key', '/votes', '/votes/release', '/votes.csv', '/webhooks', '/settings', '/activity'];
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

export const SITE_PATHS = [
  ...DASHBOARD_PATHS,
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
  '/docs/files/docs.css',
  '/assets/base.css',
  '/assets/../../package.json',
  '/healthz',
  '/readyz',
  '/v6/vote-check',
  '/compat/listforge/api/',
];

/** The forms of the site with valid values: a form that is valid except for one field gets furthest. */
export const FIELDS = [
  'url',
  'vote_received',
  'vote_available',
  'reward_granted',
  'vote_voided',
  'doubling',
  'one_reward_per_name',
  'vote',
  'claimed_at',
  'since',
  'event',
  'endpoint',
  'replaces',
  'person',
  '_csrf',
];

export const GOOD_VALUES = [
  'on',
  'always',
  'weekends',
  '2026-11-15T00:00',
  NOBODY_LISTENS,
  ENDPOINTS[0],
  `evt_${'0'.repeat(32)}`,
  '',
];

export const NASTY = [
  '\0',
  '%00',
  '%',
  '%zz',
  '%c0%af',
  '%ff%fe',
  '%u0041',
  '..',
  '../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '\\',
  '//',
  '/./',
  ';',
  '?',
  '#',
  '&',
  '=',
  '[]',
  '__proto__',
  'constructor[prototype]',
  "' OR 1=1 --",
  '"><script>alert(1)</script>',
  '$'.concat('{7*7}'),
  '{{7*7}}',
  '\u202e',
  '\u0000',
  '\ud83d\ude00',
  '\ufeff',
  'İ',
  'ﬀ',
  'A'.repeat(300),
  '9'.repeat(400),
  '-1',
  '1e999',
  'NaN',
  'null',
  'undefined',
  '2026-02-30',
  '2026-11-15T24:00:00Z',
];

export const PARAMETERS = [
  'discord_id',
  'external_id',
  'api_token',
  'locale',
  'from',
  'to',
  'cursor',
  'limit',
  'back',
  'return_to',
  'to',
  'key',
  'username',
  'month',
  'within_hours',
  'q',
  'page',
  'before',
  'done',
  'person',
  '_csrf',
  'state',
  'code',
  'error',
];

export const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'QUERY',
  'get',
  'GETT',
  'G\0T',
  '',
  'A'.repeat(60),
  'PRI',
];

export const HEADERS = [
  'authorization',
  'x-api-token',
  'cookie',
  'accept-language',
  'accept',
  'accept-encoding',
  'x-locale',
  'content-type',
  'x-forwarded-for',
  'x-forwarded-host',
  'if-none-match',
  'range',
  'connection',
  'te',
  'host',
  'origin',
  'referer',
  'x-http-method-override',
];

/** Request smuggling depends on two interpretations of where a request ends. */
export const SMUGGLING = [
  'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v7/smuggled HTTP/1.1\r\nHost: x\r\n\r\n',
  'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde',
  'Content-Length: 4, 5\r\n\r\nabcde',
  'Content-Length: +4\r\n\r\nabcd',
  'Content-Length: -1\r\n\r\n',
  'Content-Length: 99999999999999999999\r\n\r\n',
  'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n',
  'Transfer-Encoding: chunked\r\n\r\n5;x=\0\r\nabcde\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\n5\nabcde\n0\n\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: x\r\n\r\n',
];

export const TARGETS = [
  '*',
  'http://evil.example/v7/vote-check',
  'https://127.0.0.1/v7/guild/votes',
  '127.0.0.1:80',
  '',
  '//v7//vote-check',
  'v7/vote-check',
  ...[8_000, 15_000, 20_000, 70_000].map((length) => `/v7/vote-check?external_id=${'x'.repeat(length)}`),
];

/** Lines that are not headers, or contain more than one. */
export const LINES = [
  ': no name',
  'no colon',
  ' folded: yes',
  'x:\r\n folded',
  'x: a\rb',
  'x: a\nb',
  'x\0y: z',
  'x: \0',
  `x: ${'y'.repeat(20_000)}`,
  'host: a\r\nhost: b',
  'content-length: 7',
  'transfer-encoding: chunked',
  'expect: something',
  'connection: close, upgrade, x-api-token',
];

export const VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', 'http/1.1', 'HTTP/', ''];

export const BODIES = [
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Type: application/json',
  'Content-Type: multipart/form-data; boundary=x',
  'Content-Type: nonsense',
  'X-No-Type: at all',
];
