/** Inserts every line of a file into `votes` in one transaction, without validation, counts or cooldowns. */
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';

const [, , databasePath = '', filePath = ''] = process.argv;
const db = new Database(databasePath);
db.pragma('synchronous = FULL');
const insert = db.prepare(
  `INSERT OR IGNORE INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled)
   VALUES (?, ?, ?, ?, ?, ?)`,
);
db.transaction(() => {
  for (const line of readFileSync(filePath, 'utf8').split('\n')) {
    if (line === '') continue;
    const vote = JSON.parse(line);
    const { guild_id, user_id, timestamp, external_id = null, is_doubled } = vote;
    const nameKey = external_id?.toUpperCase();
    insert.run(guild_id, Date.parse(timestamp), user_id, external_id, nameKey, Number(is_doubled));
  }
})();
db.close();
