-- What a running server keeps in memory, and how it learns of changes by other programs.

-- Exactly the votes that were cast after `floor`, numbered as they were written: a server reads what it has not
-- seen. The floor is moved up now and then; a vote check looks back one hour.
CREATE TABLE recent_votes (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  user_id     TEXT NOT NULL,
  cast_at     INTEGER NOT NULL,
  external_id TEXT,
  is_doubled  INTEGER NOT NULL
) STRICT;

CREATE INDEX recent_votes_by_guild ON recent_votes (guild_id);

CREATE TABLE watched_state (
  only_row       INTEGER PRIMARY KEY CHECK (only_row = 1),
  floor          INTEGER NOT NULL,
  guild_changes  INTEGER NOT NULL,
  guild_removals INTEGER NOT NULL
) STRICT;

INSERT INTO watched_state VALUES (1, (unixepoch() - 7200) * 1000, 0, 0);

INSERT INTO recent_votes (guild_id, user_id, cast_at, external_id, is_doubled)
SELECT guild_id, user_id, cast_at, external_id, is_doubled FROM votes
WHERE cast_at > (SELECT floor FROM watched_state);

-- Triggers, so that no writer can forget.
CREATE TRIGGER votes_keep_recent AFTER INSERT ON votes WHEN new.cast_at > (SELECT floor FROM watched_state)
BEGIN
  INSERT INTO recent_votes (guild_id, user_id, cast_at, external_id, is_doubled)
  VALUES (new.guild_id, new.user_id, new.cast_at, new.external_id, new.is_doubled);
END;

CREATE TRIGGER guilds_count_added AFTER INSERT ON guilds
BEGIN
  UPDATE watched_state SET guild_changes = guild_changes + 1;
END;

CREATE TRIGGER guilds_count_changed AFTER UPDATE ON guilds
BEGIN
  UPDATE watched_state SET guild_changes = guild_changes + 1;
END;

CREATE TRIGGER guilds_count_removed AFTER DELETE ON guilds
BEGIN
  UPDATE watched_state SET guild_changes = guild_changes + 1, guild_removals = guild_removals + 1;
END;
