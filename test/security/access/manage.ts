/**
 * The rows of the management API. Neither a key nor a session is a token, so every caller of the table is refused;
 * test/api/manage/access.test.ts has the tokens.
 */
import { everybody, PUBLIC, type Row } from './cells.ts';
import type { Part } from './state.ts';

const TOKEN = everybody('noToken');

const CHANGES: Record<string, readonly Part[]> = {
  'POST /guilds': ['audit', 'guild'],
  'POST /guilds/:guild_id/key': ['activities', 'audit', 'guild', 'key'],
  'POST /votes': ['audit', 'claims', 'deliveries', 'votes'],
  'POST /bans': ['audit', 'bans'],
  'POST /voids': ['audit', 'claims', 'votes'],
};

/** Its paths and their methods, except HEAD. */
export const MANAGE_METHODS: Record<string, readonly string[]> = {
  '/manage/v1/guilds': ['GET', 'POST'],
  '/manage/v1/guilds/:guild_id': ['GET', 'PATCH', 'DELETE'],
  '/manage/v1/guilds/:guild_id/key': ['POST', 'DELETE'],
  '/manage/v1/votes': ['POST'],
  '/manage/v1/bans': ['GET', 'POST'],
  '/manage/v1/bans/:user_id': ['DELETE'],
  '/manage/v1/voids': ['POST'],
  '/manage/v1/voids/:batch': ['DELETE'],
  '/manage/v1/users/:user_id': ['GET', 'DELETE'],
  '/manage/v1/openapi.json': ['GET'],
};

export const MANAGE_ROWS: readonly Row[] = Object.entries(MANAGE_METHODS).flatMap(([path, methods]) =>
  methods.map((method): Row => {
    const changes = CHANGES[`${method} ${path.replace('/manage/v1', '')}`] ?? [];
    const cells = path.endsWith('/openapi.json') ? PUBLIC : TOKEN;
    return { route: `${method} ${path}`, changes, cells };
  }),
);
