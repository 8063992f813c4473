/**
 * The vote check with common libraries: Express, better-sqlite3 with prepared statements, express-rate-limit.
 * Same responses, no log, no metrics.
 */
import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import Database from 'better-sqlite3';
import express, { type NextFunction, type Request, type Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { clockAt, LIFTED_LIMIT } from '../servers/conditions.ts';
import { announce, readOptions } from '../servers/protocol.ts';
import { listenAnywhere } from './listen.ts';

export type ExpressOptions = { path: string };

type GuildRow = { guild_id: string; sanctioned_at: number | null };
type VoteRow = { cast_at: number; is_doubled: number };

const HOUR_MS = 3_600_000;
const clock = clockAt(Date.now);
const db = new Database(readOptions<ExpressOptions>().path, { readonly: true });
const guildByKey = db.prepare<[string], GuildRow>(
  'SELECT guild_id, sanctioned_at FROM guilds WHERE key_hash = ?',
);
const latestOfUser = db.prepare<[string, string, number], VoteRow>(
  `SELECT cast_at, is_doubled FROM votes INDEXED BY votes_by_user
   WHERE guild_id = ? AND user_id = ? AND cast_at > ? ORDER BY cast_at DESC LIMIT 1`,
);
const latestOfExternalId = db.prepare<[string, string, string, number], VoteRow>(
  `SELECT cast_at, is_doubled FROM votes INDEXED BY votes_by_external_id
   WHERE guild_id = ? AND name_key = upper(?) AND external_id = ? AND cast_at > ? ORDER BY cast_at DESC LIMIT 1`,
);

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.set('trust proxy', 'loopback');
app.use(identify);
app.use(
  rateLimit({
    windowMs: LIFTED_LIMIT.windowMs,
    limit: LIFTED_LIMIT.requests,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'default',
    keyGenerator: (_request, response) => response.locals.identity,
  }),
);
app.get('/v7/vote-check', requireKey, checkVote);

function identify(request: Request, response: Response, next: NextFunction): void {
  const key = /^Bearer (.+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? request.get('x-api-token');
  const keyHash = key && hash('sha256', key);
  const guild = keyHash ? guildByKey.get(keyHash) : undefined;
  response.locals.guild = guild?.sanctioned_at === null ? guild : undefined;
  response.locals.identity = response.locals.guild ? keyHash : request.ip;
  response.set('cache-control', 'no-store').set('content-language', 'en');
  next();
}

function requireKey(_request: Request, response: Response, next: NextFunction): void {
  if (response.locals.guild) next();
  else refuse(response, 401, 'INVALID_API_TOKEN', 'This API key is not valid.');
}

function checkVote(request: Request, response: Response): void {
  const { discord_id, external_id } = request.query;
  if (discord_id && external_id) {
    refuse(response, 400, 'MULTIPLE_IDENTIFIERS', 'Give one identifier.');
    return;
  }
  const now = clock();
  const guildId: string = response.locals.guild.guild_id;
  let vote: VoteRow | undefined;
  if (typeof discord_id === 'string' && /^[0-9]{15,20}$/.test(discord_id)) {
    vote = latestOfUser.get(guildId, discord_id, now - HOUR_MS);
  } else if (typeof external_id === 'string' && external_id.length <= 191) {
    vote = latestOfExternalId.get(guildId, external_id, external_id, now - HOUR_MS);
  } else {
    refuse(response, 400, 'MISSING_IDENTIFIER', 'Give discord_id or external_id.');
    return;
  }
  response.json({
    ok: true,
    guild_id: guildId,
    has_voted: vote !== undefined,
    is_doubled: vote?.is_doubled === 1,
    last_vote_at: vote ? new Date(vote.cast_at).toISOString() : null,
    next_vote_at: vote ? new Date(vote.cast_at + HOUR_MS).toISOString() : null,
    cooldown_remaining_seconds: vote ? Math.ceil((vote.cast_at + HOUR_MS - now) / 1000) : 0,
  });
}

function refuse(response: Response, status: number, error: string, message: string): void {
  response.status(status).json({ ok: false, error, message });
}

announce(await listenAnywhere(createServer(app)));
