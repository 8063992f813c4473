/** The minimum for a Node server on PostgreSQL: one prepared, indexed read per request. */
import { createServer } from 'node:http';
import pg from 'pg';
import { keyOf } from '../data-sets/keys.ts';
import { guildId, NOW } from '../data-sets/shape.ts';
import { announce, readOptions } from '../servers/protocol.ts';
import { listenAnywhere } from './listen.ts';

export type OneReadOptions = { url: string; guilds: number; headers: Record<string, string> };

const { url, guilds, headers } = readOptions<OneReadOptions>();
const pool = new pg.Pool({ connectionString: url });
const guildOf = new Map(
  Array.from({ length: guilds }, (_, guild) => [`Bearer ${keyOf(guild)}`, guildId(guild)]),
);

const server = createServer(async (request, response) => {
  const userId = request.url?.slice(request.url.indexOf('=') + 1);
  const { rows } = await pool.query({
    name: 'latest',
    text: `SELECT guild_id, user_id, cast_at, is_doubled FROM votes
           WHERE guild_id = $1 AND user_id = $2 AND cast_at > $3 ORDER BY cast_at DESC LIMIT 1`,
    values: [guildOf.get(request.headers.authorization ?? ''), userId, NOW - 3_600_000],
  });
  const body = JSON.stringify({ ok: true, vote: rows[0] ?? null });
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
});
announce(await listenAnywhere(server));
