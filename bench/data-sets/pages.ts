/** Twenty thousand communities with profiles and ten million votes, for the pages; one of them is run by a demo user. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/store/open.ts';
import { addGuilds, makePostgresDatabase, runStatements, SUMS, spreadVotes } from './postgres.ts';
import { startProgress } from './progress.ts';
import { listSql, NOW, PREMIUM_UNTIL, type Shape } from './shape.ts';
import { addGuildsTo, addSpreadVotes, makeFile, sumUp } from './sqlite.ts';

/** The community of the demo user Alex, with many votes in the month. */
export const PAGES_GUILD = '100000000000000001';

const PROFILES = `
  INSERT INTO guild_profiles (guild_id, description, tags, language)
  SELECT guild_id, 'A friendly community with events every week, open to everybody who likes to play together.',
    'survival,tag-' || substr(guild_id, 17), CASE WHEN guild_id < '100000010000000000' THEN 'fr' ELSE 'en' END
  FROM guilds`;

/** As the store folds names, unlike the other data sets. */
const FOLDED_NAMES = 'UPDATE guilds SET name_folded = upper(name)';

const OWN_GUILD = `
  INSERT INTO guilds (guild_id, name, name_folded, created_at, premium_until)
  VALUES ('${PAGES_GUILD}', 'Demo Community', 'DEMO COMMUNITY', ${NOW}, ${PREMIUM_UNTIL})`;

function ownVotes(votes: number, numbers: string): string {
  const { castAt, userId, isDoubled } = listSql(0, votes);
  return `INSERT INTO votes (guild_id, cast_at, user_id, is_doubled)
    SELECT '${PAGES_GUILD}', ${castAt}, ${userId}, ${isDoubled} FROM ${numbers}`;
}

function shapeOf({ pages }: Shape): Shape {
  return {
    guilds: pages.guilds,
    votesPerGuild: pages.votesPerGuild,
    lists: [],
    postgresLists: 0,
    imported: 0,
    pages,
  };
}

export async function ensurePagesFile(folder: string, shape: Shape): Promise<string> {
  const path = join(folder, 'pages.db');
  if (existsSync(path)) return path;
  const own = shapeOf(shape);
  const progress = startProgress('SQLite, pages', 3);
  await makeFile(path, progress, (db) => {
    progress.step('guilds');
    addGuildsTo(db, own);
    db.exec(OWN_GUILD);
    db.exec(FOLDED_NAMES);
    db.exec(PROFILES);
    progress.step('votes');
    addSpreadVotes(db, own);
    const { ownVotes: votes } = shape.pages;
    db.exec(
      `WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < ${votes})
       ${ownVotes(votes, 'numbers')}`,
    );
    progress.step('sums');
    sumUp(db);
  });
  return path;
}

/** `serverUrl`: the server of the other data sets. */
export async function ensurePagesDatabase(folder: string, serverUrl: string, shape: Shape): Promise<string> {
  const marker = join(folder, 'pages.made');
  const url = new URL(serverUrl);
  url.pathname = 'pages';
  if (existsSync(marker)) return url.href;
  const own = shapeOf(shape);
  const progress = startProgress('PostgreSQL, pages', 3);
  progress.step('guilds');
  await makePostgresDatabase(serverUrl, 'pages');
  await (await openStore({ kind: 'postgres', url: url.href })).close();
  await addGuilds(url.href, own);
  progress.step('votes');
  const numbers = `generate_series(0::bigint, ${shape.pages.ownVotes - 1}) AS i`;
  await runStatements(url.href, [
    OWN_GUILD,
    FOLDED_NAMES,
    PROFILES,
    spreadVotes(own),
    ownVotes(shape.pages.ownVotes, numbers),
  ]);
  progress.step('sums');
  await runStatements(url.href, [...SUMS, 'VACUUM (FREEZE, ANALYZE)', 'CHECKPOINT']);
  progress.done();
  writeFileSync(marker, '');
  return url.href;
}
