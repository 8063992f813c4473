-- Instants are milliseconds since the Unix epoch. Ids are compared byte by byte (COLLATE "C"), as SQLite does.

CREATE TABLE guilds (
  guild_id        TEXT COLLATE "C" PRIMARY KEY,
  name            TEXT NOT NULL,
  created_at      BIGINT NOT NULL,
  doubling        TEXT NOT NULL DEFAULT 'never' CHECK (doubling IN ('never', 'weekends', 'always')),
  premium_until   BIGINT,
  sanctioned_at   BIGINT,
  sanction_reason TEXT,
  key_hash        TEXT COLLATE "C",
  key_sealed      TEXT,
  key_created_at  BIGINT
);

-- Partial, so that no foreign key could refer to it: a new key then never waits for votes that are being written.
CREATE UNIQUE INDEX guilds_by_key_hash ON guilds (key_hash) WHERE key_hash IS NOT NULL;

-- A vote has no number of its own: guild, time and user identify it, and that is the order lists are read in.
CREATE TABLE votes (
  guild_id    TEXT COLLATE "C" NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  cast_at     BIGINT NOT NULL,
  user_id     TEXT COLLATE "C" NOT NULL,
  external_id TEXT COLLATE "C",
  is_doubled  BOOLEAN NOT NULL,
  PRIMARY KEY (guild_id, cast_at, user_id)
);

CREATE INDEX votes_by_user ON votes (guild_id, user_id, cast_at);

CREATE INDEX votes_by_external_id ON votes (guild_id, external_id, cast_at, user_id)
  WHERE external_id IS NOT NULL;

-- One row for each user of a guild who ever voted: the row that two simultaneous votes fight over.
CREATE TABLE cooldowns (
  guild_id     TEXT COLLATE "C" NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  user_id      TEXT COLLATE "C" NOT NULL,
  last_vote_at BIGINT NOT NULL,
  PRIMARY KEY (guild_id, user_id)
);

-- Counters may be lost in a crash, so they are not logged. No index on resets_at and room in every page: an
-- update then stays in its page and leaves the index alone.
CREATE UNLOGGED TABLE rate_windows (
  caller    TEXT COLLATE "C" PRIMARY KEY,
  hits      INTEGER NOT NULL,
  resets_at BIGINT NOT NULL
) WITH (fillfactor = 50);
