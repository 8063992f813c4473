-- Erasing users, and refusing votes during maintenance.
-- oldest-compatible: 1

-- One row: the key of the hashes that stand for erased users in sign_outs and voter_bans.
CREATE TABLE erasure_key (
  id  INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  key TEXT NOT NULL
) STRICT;

INSERT INTO erasure_key (id, key) VALUES (1, lower(hex(randomblob(32))));

-- While a user is being erased: the id that replaces theirs in a guild, so that an interrupted erasure continues with it.
CREATE TABLE erasures (
  guild_id     TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  user_hash    TEXT NOT NULL,
  anonymous_id TEXT NOT NULL,
  PRIMARY KEY (guild_id, user_hash)
) STRICT, WITHOUT ROWID;

-- At most one row, while votes are refused.
CREATE TABLE maintenance (
  id      INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  since   INTEGER NOT NULL,
  message TEXT
) STRICT;
