-- Votes that admins send to try claims.
-- oldest-compatible: 1

-- The last test vote of a guild. It is in no list, count or feed of votes. `consumer`, `key` and `request_hash` are those
-- of the request that claimed it.
CREATE TABLE test_votes (
  guild_id     TEXT COLLATE "C" PRIMARY KEY REFERENCES guilds (guild_id) ON DELETE CASCADE,
  cast_at      BIGINT NOT NULL,
  claimed_at   BIGINT,
  consumer     TEXT,
  key          TEXT,
  request_hash TEXT
);
