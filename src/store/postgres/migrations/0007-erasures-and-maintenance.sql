-- Erasing users, and refusing votes during maintenance.
-- oldest-compatible: 1

-- One row: the key of the hashes that stand for erased users in sign_outs and voter_bans.
CREATE TABLE erasure_key (
  id  INTEGER PRIMARY KEY CHECK (id = 1),
  key TEXT NOT NULL
);

INSERT INTO erasure_key (id, key)
VALUES (1, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

-- While a user is being erased: the id that replaces theirs in a guild, so that an interrupted erasure continues with it.
CREATE TABLE erasures (
  guild_id     TEXT COLLATE "C" NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  user_hash    TEXT COLLATE "C" NOT NULL,
  anonymous_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (guild_id, user_hash)
);

-- At most one row, while votes are refused.
CREATE TABLE maintenance (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  since   BIGINT NOT NULL,
  message TEXT
);
