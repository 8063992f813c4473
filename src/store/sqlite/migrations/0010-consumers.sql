-- A vote can be claimed once per consumer, and how names of players are compared.
-- oldest-compatible: 1

ALTER TABLE guilds ADD COLUMN player_names TEXT NOT NULL DEFAULT 'exact'
  CHECK (player_names IN ('exact', 'ignore-case', 'minecraft'));
-- Claims of the ListForge protocol are made as this consumer.
ALTER TABLE guilds ADD COLUMN listforge_consumer TEXT NOT NULL DEFAULT 'default';

-- The endpoint that claimed the vote when it delivered it. It can deliver the vote again.
ALTER TABLE vote_claims ADD COLUMN held_by TEXT;

-- Whose claim the key holds.
ALTER TABLE idempotency_keys ADD COLUMN consumer TEXT NOT NULL DEFAULT 'default';

-- Consumers besides `default` that have claimed. A guild has at most ten; a removed one keeps its claims.
CREATE TABLE claim_consumers (
  guild_id     TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  consumer     TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  -- To the hour.
  last_used_at INTEGER NOT NULL,
  PRIMARY KEY (guild_id, consumer)
) STRICT, WITHOUT ROWID;

-- As vote_claims, which has those of the consumer `default`: processes of earlier versions know only that one.
CREATE TABLE consumer_claims (
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  cast_at     INTEGER NOT NULL,
  user_id     TEXT NOT NULL,
  consumer    TEXT NOT NULL,
  vote_id     TEXT NOT NULL,
  external_id TEXT,
  name_key    TEXT,
  claimed_at  INTEGER NOT NULL,
  held_by     TEXT,
  PRIMARY KEY (guild_id, cast_at, user_id, consumer),
  UNIQUE (guild_id, vote_id, consumer)
) STRICT, WITHOUT ROWID;

CREATE INDEX consumer_claims_by_name ON consumer_claims (guild_id, consumer, name_key, cast_at)
  WHERE name_key IS NOT NULL;

-- As released_claims, which has those of the consumer `default`.
CREATE TABLE released_consumer_claims (
  guild_id   TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  vote_id    TEXT NOT NULL,
  consumer   TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  PRIMARY KEY (guild_id, vote_id, consumer)
) STRICT, WITHOUT ROWID;

CREATE INDEX released_consumer_claims_by_age ON released_consumer_claims (guild_id, claimed_at);
