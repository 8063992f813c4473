-- Claims that have an owner, and a feed that survives a restored backup.
-- oldest-compatible: 1

-- The claim that a key holds; null when there was nothing to claim. Once that claim is released, the key counts as
-- unused.
ALTER TABLE idempotency_keys ADD COLUMN vote_id TEXT;
ALTER TABLE idempotency_keys ADD COLUMN claimed_at INTEGER;

-- The last released claim of a vote, for a day. The next claim of the vote gets a later time, so that a vote and the
-- time of its claim identify the claim.
CREATE TABLE released_claims (
  guild_id   TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  vote_id    TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  PRIMARY KEY (guild_id, vote_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX released_claims_by_age ON released_claims (guild_id, claimed_at);

-- One row per history that this database continues: 0 for the first, and the time of each restored backup. The numbers
-- of votes (votes.seq) that are accepted later are greater than the newest of these times, so no number is used twice.
CREATE TABLE feed_epochs (
  epoch INTEGER PRIMARY KEY NOT NULL
) STRICT;

INSERT INTO feed_epochs (epoch) VALUES (0);

CREATE INDEX voided_votes_by_seq ON voided_votes (guild_id, seq) WHERE seq IS NOT NULL;
