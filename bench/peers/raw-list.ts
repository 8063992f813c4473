/** A page of votes with only `JSON.stringify` between the database and the socket. */
import { createServer } from 'node:http';
import Database from 'better-sqlite3';
import { announce, readOptions } from '../servers/protocol.ts';
import { listenAnywhere } from './listen.ts';

export type RawListOptions = { path: string; headers: Record<string, string> };

const { path, headers } = readOptions<RawListOptions>();
const db = new Database(path, { readonly: true });
const page = db.prepare(
  `SELECT user_id, cast_at, is_doubled FROM votes
   WHERE guild_id = ? AND (cast_at, user_id) > (?, ?) AND cast_at < ? ORDER BY cast_at, user_id LIMIT ?`,
);

const server = createServer((request, response) => {
  const query = new URLSearchParams(request.url?.slice(request.url.indexOf('?')));
  const numberOf = (name: string) => Number(query.get(name));
  const rows = page.all(
    query.get('guild'),
    numberOf('after'),
    query.get('user'),
    numberOf('to'),
    numberOf('limit'),
  );
  const body = JSON.stringify(rows);
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
});
announce(await listenAnywhere(server));
