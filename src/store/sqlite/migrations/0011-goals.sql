-- Goals of communities.
-- oldest-compatible: 1

-- The goal of a guild; without a row it has none. `party_votes` counts the votes since the last vote party, and the
-- votes that it counts have greater numbers (votes.seq) than `party_seq`.
CREATE TABLE vote_goals (
  guild_id    TEXT PRIMARY KEY NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  period      TEXT NOT NULL CHECK (period IN ('day', 'week', 'month', 'party')),
  target      INTEGER NOT NULL CHECK (target >= 1),
  party_votes INTEGER NOT NULL DEFAULT 0,
  party_seq   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Goals that were reached in a day, week or month, or had more votes already when they were set. Each is reached once.
CREATE TABLE reached_goals (
  guild_id   TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  starts_at  INTEGER NOT NULL,
  period     TEXT NOT NULL,
  target     INTEGER NOT NULL,
  reached_at INTEGER NOT NULL,
  PRIMARY KEY (guild_id, starts_at, period, target)
) STRICT, WITHOUT ROWID;
