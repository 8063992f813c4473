-- Instants are milliseconds since the Unix epoch.

CREATE TABLE guilds (
  guild_id        TEXT PRIMARY KEY NOT NULL,
  name            TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  doubling        TEXT NOT NULL DEFAULT 'never' CHECK (doubling IN ('never', 'weekends', 'always')),
  premium_until   INTEGER,
  sanctioned_at   INTEGER,
  sanction_reason TEXT,
  key_hash        TEXT,
  key_sealed      TEXT,
  key_created_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX guilds_by_key_hash ON guilds (key_hash) WHERE key_hash IS NOT NULL;

-- A vote has no number of its own: guild, time and user identify it, and that is the order lists are read in.
CREATE TABLE votes (
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  cast_at     INTEGER NOT NULL,
  user_id     TEXT NOT NULL,
  external_id TEXT,
  is_doubled  INTEGER NOT NULL CHECK (is_doubled IN (0, 1)),
  PRIMARY KEY (guild_id, cast_at, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX votes_by_user ON votes (guild_id, user_id, cast_at);

CREATE INDEX votes_by_external_id ON votes (guild_id, external_id, cast_at, user_id)
  WHERE external_id IS NOT NULL;

-- One row for each user of a guild who ever voted: the row that two simultaneous votes fight over.
CREATE TABLE cooldowns (
  guild_id     TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  user_id      TEXT NOT NULL,
  last_vote_at INTEGER NOT NULL,
  PRIMARY KEY (guild_id, user_id)
) STRICT, WITHOUT ROWID;
