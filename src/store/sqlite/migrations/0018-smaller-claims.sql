-- Claims that take less time and space to store. Columns and primary keys stay as they are. The tables are made anew,
-- which takes a few seconds for a million claims.
-- oldest-compatible: 1

-- Rows are stored in the order in which they are added. The index by vote has a part of the random vote_id instead of
-- guild and vote_id, and a row number instead of the primary key: a quarter of the size. Earlier programs, which
-- search by guild and vote_id, read all claims of the guild to release one.
ALTER TABLE vote_claims RENAME TO earlier_claims;

CREATE TABLE vote_claims (
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  cast_at     INTEGER NOT NULL,
  user_id     TEXT NOT NULL,
  vote_id     TEXT NOT NULL,
  external_id TEXT,
  name_key    TEXT,
  claimed_at  INTEGER NOT NULL,
  held_by     TEXT,
  PRIMARY KEY (guild_id, cast_at, user_id)
) STRICT;

INSERT INTO vote_claims
SELECT guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at, held_by FROM earlier_claims;

DROP TABLE earlier_claims;

CREATE INDEX vote_claims_by_name ON vote_claims (guild_id, name_key, cast_at) WHERE name_key IS NOT NULL;

-- Does not lead with guild_id: the id of a vote depends on its guild.
CREATE INDEX vote_claims_by_id ON vote_claims (substr(vote_id, 6, 12));

ALTER TABLE consumer_claims RENAME TO earlier_claims;

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
  PRIMARY KEY (guild_id, cast_at, user_id, consumer)
) STRICT;

INSERT INTO consumer_claims
SELECT guild_id, cast_at, user_id, consumer, vote_id, external_id, name_key, claimed_at, held_by FROM earlier_claims;

DROP TABLE earlier_claims;

CREATE INDEX consumer_claims_by_name ON consumer_claims (guild_id, consumer, name_key, cast_at)
  WHERE name_key IS NOT NULL;

CREATE INDEX consumer_claims_by_id ON consumer_claims (substr(vote_id, 6, 12));
