-- Votes by the hour and by the month, so that a total does not read every vote. Written in the transaction that
-- writes the votes. An hour or a month is named by its first instant, in UTC. There is room in every page, so that
-- an update stays in its page and leaves the index alone.
CREATE TABLE hourly_votes (
  guild_id TEXT COLLATE "C" NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  hour     BIGINT NOT NULL,
  votes    INTEGER NOT NULL,
  doubled  INTEGER NOT NULL,
  PRIMARY KEY (guild_id, hour)
) WITH (fillfactor = 70);

CREATE TABLE monthly_votes (
  guild_id TEXT COLLATE "C" NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  month    BIGINT NOT NULL,
  votes    INTEGER NOT NULL,
  doubled  INTEGER NOT NULL,
  PRIMARY KEY (guild_id, month)
) WITH (fillfactor = 70);

-- A vote that was written between the counting and the end of this transaction would never be counted.
LOCK TABLE votes IN SHARE ROW EXCLUSIVE MODE;

-- The remainder is made positive first: votes from before 1970 have negative instants.
INSERT INTO hourly_votes (guild_id, hour, votes, doubled)
SELECT guild_id, cast_at - (cast_at % 3600000 + 3600000) % 3600000 AS hour,
       count(*), count(*) FILTER (WHERE is_doubled)
FROM votes GROUP BY guild_id, hour;

INSERT INTO monthly_votes (guild_id, month, votes, doubled)
SELECT guild_id, extract(epoch FROM date_trunc('month', to_timestamp(hour / 1000), 'UTC'))::bigint * 1000 AS month,
       sum(votes), sum(doubled)
FROM hourly_votes GROUP BY guild_id, month;

-- The name as it is searched: folded by the program, which knows more letters than the database.
ALTER TABLE guilds ADD COLUMN name_folded TEXT COLLATE "C" NOT NULL DEFAULT '';

-- The number orders what was done in the same millisecond.
CREATE TABLE activities (
  activity_id BIGINT GENERATED ALWAYS AS IDENTITY,
  guild_id    TEXT COLLATE "C" NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  at          BIGINT NOT NULL,
  actor_id    TEXT,
  actor_name  TEXT,
  action      TEXT NOT NULL,
  PRIMARY KEY (guild_id, at, activity_id)
);
