/** The rows of the access table for routes with an API key. */
import type { Store } from '../../../src/store/store.ts';
import { NOW, USER } from '../../support/api.ts';
import { type Community, VOTED_USER } from '../fixture.ts';
import { everybody, PUBLIC, type Row } from './cells.ts';
import { MANAGE_METHODS } from './manage.ts';

/** The API accepts only keys: a session has no effect. */
const KEY = { ...everybody('unset'), validKey: 'ok', oldKey: 'invalid', sanctionedKey: 'invalid' } as const;

/** This protocol has its key in the URL, and its own text for a wrong one. */
const LISTFORGE_KEY = { ...everybody('wrongKey'), validKey: 'ok' } as const;
const LISTFORGE_CHECK = 'object=votes&element=claim&username=Steve&key=:key';

const TOPGG = '/compat/topgg/api';
const TOPGG_USER = 'userId=299999999999999999';
const TOPGG_V1_KEY = { ...everybody('problem'), validKey: 'ok' } as const;
const PROJECT = `${TOPGG}/v1/projects/:project_id`;
const OWN_PROJECT = `${TOPGG}/v1/projects/@me`;

const TOPGG_ROWS: readonly Row[] = [
  { route: `GET ${TOPGG}/weekend`, cells: KEY },
  ...['/bots', '/bots/:bot_id'].flatMap((rest): Row[] => {
    const path = `${TOPGG}${rest.replace(':bot_id', '299999999999999999')}`;
    return [
      { route: `GET ${TOPGG}${rest}/check`, path: `${path}/check?${TOPGG_USER}`, cells: KEY },
      { route: `GET ${TOPGG}${rest}/votes`, path: `${path}/votes`, cells: KEY },
      { route: `GET ${TOPGG}${rest}/stats`, path: `${path}/stats`, cells: KEY },
      { route: `POST ${TOPGG}${rest}/stats`, path: `${path}/stats`, isIgnored: true, cells: KEY },
    ];
  }),
  { route: `GET ${PROJECT}`, path: OWN_PROJECT, cells: TOPGG_V1_KEY },
  { route: `PATCH ${PROJECT}`, path: OWN_PROJECT, cells: TOPGG_V1_KEY },
  {
    route: `GET ${PROJECT}/votes`,
    path: `${OWN_PROJECT}/votes?startDate=${NOW}`,
    cells: TOPGG_V1_KEY,
  },
  {
    route: `GET ${PROJECT}/votes/:user_id`,
    path: `${OWN_PROJECT}/votes/${USER}`,
    prepare: voteAsSteve,
    cells: TOPGG_V1_KEY,
  },
  ...['commands', 'metrics', 'metrics/batch', 'announcements'].map(
    (name): Row => ({
      route: `POST ${PROJECT}/${name}`,
      path: `${OWN_PROJECT}/${name}`,
      isIgnored: true,
      cells: TOPGG_V1_KEY,
    }),
  ),
];

export const API_ROWS: readonly Row[] = [
  { route: 'GET /v7/vote-check', path: '/v7/vote-check?discord_id=299999999999999999', cells: KEY },
  { route: 'GET /v7/check-vote', path: '/v7/check-vote?discord_id=299999999999999999', cells: KEY },
  { route: 'GET /v7/guild/votes', cells: KEY },
  {
    route: 'GET /v7/guild/votes/users/:user_id',
    path: '/v7/guild/votes/users/299999999999999999',
    cells: KEY,
  },
  { route: 'GET /v7/vote-checks', path: '/v7/vote-checks?discord_id=299999999999999999', cells: KEY },
  { route: 'GET /v7/guild/claims', path: '/v7/guild/claims?discord_id=299999999999999999', cells: KEY },
  {
    route: 'POST /v7/guild/claims',
    path: `/v7/guild/claims?discord_id=${VOTED_USER}&within_hours=744`,
    changes: ['claims'],
    cells: KEY,
  },
  { route: 'GET /v7/guild/claimable', path: '/v7/guild/claimable?discord_id=299999999999999999', cells: KEY },
  { route: 'GET /v7/guild/claims/pending', cells: KEY },
  { route: 'GET /v7/guild/leaderboard', cells: KEY },
  { route: 'GET /v7/guild/goal', cells: KEY },
  { route: 'DELETE /v7/guild/claims/:vote_id', path: `/v7/guild/claims/vote_${'0'.repeat(32)}`, cells: KEY },
  { route: 'GET /v7/guild/feed', cells: KEY },
  { route: 'GET /v7/openapi.json', cells: PUBLIC },

  ...['/compat/listforge/api', '/compat/listforge/api/'].flatMap((path): Row[] => [
    { route: `GET ${path}`, path: `${path}?${LISTFORGE_CHECK}`, cells: LISTFORGE_KEY },
    {
      route: `POST ${path}`,
      path: `${path}?action=post&${LISTFORGE_CHECK}`,
      prepare: voteAsSteve,
      changes: ['claims'],
      cells: LISTFORGE_KEY,
    },
  ]),

  ...TOPGG_ROWS,
];

/** The paths of the API and their methods, except HEAD. Every other method is rejected for all callers. */
export const API_METHODS: Record<string, readonly string[]> = {
  '/v7/vote-check': ['GET'],
  '/v7/check-vote': ['GET'],
  '/v7/vote-checks': ['GET'],
  '/v7/guild/votes': ['GET'],
  '/v7/guild/votes/users/:user_id': ['GET'],
  '/v7/guild/claims': ['GET', 'POST'],
  '/v7/guild/claimable': ['GET'],
  '/v7/guild/claims/pending': ['GET'],
  '/v7/guild/leaderboard': ['GET'],
  '/v7/guild/goal': ['GET'],
  '/v7/guild/claims/:vote_id': ['DELETE'],
  '/v7/guild/feed': ['GET'],
  '/v7/openapi.json': ['GET'],
  '/compat/listforge/api': ['GET', 'POST'],
  '/compat/listforge/api/': ['GET', 'POST'],
  ...MANAGE_METHODS,
  [`${TOPGG}/weekend`]: ['GET'],
  ...Object.fromEntries(
    ['/bots', '/bots/:bot_id'].flatMap((rest) => [
      [`${TOPGG}${rest}/check`, ['GET']],
      [`${TOPGG}${rest}/votes`, ['GET']],
      [`${TOPGG}${rest}/stats`, ['GET', 'POST']],
    ]),
  ),
  [PROJECT]: ['GET', 'PATCH'],
  [`${PROJECT}/votes`]: ['GET'],
  [`${PROJECT}/votes/:user_id`]: ['GET'],
  [`${PROJECT}/commands`]: ['POST'],
  [`${PROJECT}/metrics`]: ['POST'],
  [`${PROJECT}/metrics/batch`]: ['POST'],
  [`${PROJECT}/announcements`]: ['POST'],
};

async function voteAsSteve({ votes }: Store, { guildId }: Community): Promise<void> {
  const castAt = Date.parse(NOW);
  await votes.cast({ guildId, userId: USER, castAt, externalId: 'Steve', isDoubled: false });
}
