-- Votes by the hour and by the month, so that a total does not read every vote. Written in the transaction that
-- writes the votes. An hour or a month is named by its first instant, in UTC.
CREATE TABLE hourly_votes (
  guild_id TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  hour     INTEGER NOT NULL,
  votes    INTEGER NOT NULL,
  doubled  INTEGER NOT NULL,
  PRIMARY KEY (guild_id, hour)
) STRICT, WITHOUT ROWID;

CREATE TABLE monthly_votes (
  guild_id TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  month    INTEGER NOT NULL,
  votes    INTEGER NOT NULL,
  doubled  INTEGER NOT NULL,
  PRIMARY KEY (guild_id, month)
) STRICT, WITHOUT ROWID;

-- The remainder is made positive first: votes from before 1970 have negative instants.
INSERT INTO hourly_votes (guild_id, hour, votes, doubled)
SELECT guild_id, cast_at - (cast_at % 3600000 + 3600000) % 3600000 AS hour, count(*), sum(is_doubled)
FROM votes GROUP BY guild_id, hour;

INSERT INTO monthly_votes (guild_id, month, votes, doubled)
SELECT guild_id, unixepoch(hour / 1000, 'unixepoch', 'start of month') * 1000 AS month, sum(votes), sum(doubled)
FROM hourly_votes GROUP BY guild_id, month;

-- The name as it is searched: folded by the program, which knows more letters than the database.
ALTER TABLE guilds ADD COLUMN name_folded TEXT NOT NULL DEFAULT '';

-- The number orders what was done in the same millisecond.
CREATE TABLE activities (
  activity_id INTEGER PRIMARY KEY,
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  at          INTEGER NOT NULL,
  actor_id    TEXT,
  actor_name  TEXT,
  action      TEXT NOT NULL
) STRICT;

CREATE INDEX activities_by_guild ON activities (guild_id, at, activity_id);
