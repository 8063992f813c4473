/** The rows of the operator console: for users in VOTARY_OPERATORS, which includes the admin of these tests. */
import type { Store } from '../../../src/store/store.ts';
import { type Community, VOTED_USER } from '../fixture.ts';
import { ADMIN, ADMIN_ACTION, type Row } from './cells.ts';

const OPERATOR = ADMIN;
const OPERATOR_ACTION = ADMIN_ACTION;

const OTHER_VOTER = '299999999999999996';

export const OPERATOR_ROWS: readonly Row[] = [
  { route: 'GET /operator', cells: OPERATOR },
  { route: 'GET /operator/communities', cells: OPERATOR },
  { route: 'GET /operator/communities/:guild_id', cells: OPERATOR },
  {
    route: 'POST /operator/communities/:guild_id/rename',
    form: () => ({ name: 'Renamed' }),
    changes: ['audit', 'guild'],
    cells: OPERATOR_ACTION,
  },
  {
    route: 'POST /operator/communities/:guild_id/listing',
    form: () => ({ unlisted: 'on' }),
    changes: ['audit', 'guild'],
    cells: OPERATOR_ACTION,
  },
  {
    route: 'POST /operator/communities/:guild_id/sanction',
    form: () => ({ reason: 'bots' }),
    changes: ['audit', 'guild'],
    cells: OPERATOR_ACTION,
  },
  {
    route: 'POST /operator/communities/:guild_id/premium',
    form: () => ({ until: '2030-01-01T00:00' }),
    changes: ['audit', 'guild'],
    cells: OPERATOR_ACTION,
  },
  {
    route: 'POST /operator/communities/:guild_id/rate-limit',
    form: () => ({ limit: '300' }),
    changes: ['audit', 'guild'],
    cells: OPERATOR_ACTION,
  },
  { route: 'GET /operator/tokens', cells: OPERATOR },
  {
    route: 'POST /operator/tokens',
    form: () => ({ name: 'Billing', 'guilds:read': 'on' }),
    changes: ['audit', 'tokens'],
    cells: OPERATOR_ACTION,
  },
  {
    route: 'POST /operator/tokens/:token_id/revoke',
    path: ({ guildId }) => `/operator/tokens/tok_${guildId}/revoke`,
    form: () => ({}),
    prepare: async ({ tokens }, { guildId }) =>
      tokens.add({
        ...{ tokenId: `tok_${guildId}`, hash: guildId, name: 'Billing', scopes: [] },
        ...{ createdAt: 0, expiresAt: null },
      }),
    changes: ['audit', 'tokens'],
    cells: OPERATOR_ACTION,
  },
  { route: 'GET /operator/unusual', cells: OPERATOR },
  {
    route: 'GET /operator/void',
    // Not the vote of VOTED_USER: links on the page contain its URL.
    path: (community) =>
      `/operator/void?${new URLSearchParams({ ...votedVote(community), user_id: OTHER_VOTER })}`,
    prepare: async ({ votes }, { guildId, votedAt }) => {
      const vote = { guildId, userId: OTHER_VOTER, castAt: votedAt, externalId: null, isDoubled: false };
      await votes.cast(vote);
    },
    cells: OPERATOR,
  },
  {
    route: 'POST /operator/void',
    form: (community) => ({ ...votedVote(community), which: 'user' }),
    changes: ['audit', 'claims', 'votes'],
    cells: OPERATOR_ACTION,
  },
  { route: 'GET /operator/voided', cells: OPERATOR },
  {
    route: 'POST /operator/voided/:batch/restore',
    path: ({ guildId }) => `/operator/voided/void_${guildId}/restore`,
    form: () => ({}),
    prepare: voidVotes,
    changes: ['audit', 'claims', 'votes'],
    cells: OPERATOR_ACTION,
  },
  { route: 'GET /operator/bans', cells: OPERATOR },
  { route: 'GET /operator/ban', path: '/operator/ban?user_id=299999999999999997', cells: OPERATOR },
  {
    route: 'POST /operator/bans',
    form: () => ({ user_id: '299999999999999997' }),
    changes: ['audit', 'bans'],
    cells: OPERATOR_ACTION,
  },
  {
    route: 'POST /operator/bans/:user_id/lift',
    path: '/operator/bans/299999999999999998/lift',
    form: () => ({}),
    prepare: async ({ moderation }) =>
      moderation.ban({
        userId: '299999999999999998',
        since: 0,
        until: null,
        reason: null,
        publicReason: null,
      }),
    changes: ['audit', 'bans'],
    cells: OPERATOR_ACTION,
  },
  { route: 'GET /operator/log', cells: OPERATOR },
];

/** The fields that identify the vote of VOTED_USER. */
function votedVote({ guildId, votedAt }: Community): Record<string, string> {
  return { guild_id: guildId, user_id: VOTED_USER, at: String(votedAt) };
}

async function voidVotes({ moderation }: Store, { guildId, votedAt }: Community): Promise<void> {
  const period = { from: votedAt, to: votedAt + 1 };
  const batch = { batch: `void_${guildId}`, reason: null, voidedAt: votedAt };
  await moderation.void({ guildId, selection: { userId: VOTED_USER }, period, ...batch });
}
