-- Goals of communities.
-- oldest-compatible: 1

-- The goal of a guild; without a row it has none. `party_votes` counts the votes since the last vote party, and the
-- votes that it counts have greater numbers (votes.seq) than `party_seq`.
CREATE TABLE vote_goals (
  guild_id    TEXT COLLATE "C" PRIMARY KEY REFERENCES guilds (guild_id) ON DELETE CASCADE,
  period      TEXT NOT NULL CHECK (period IN ('day', 'week', 'month', 'party')),
  target      BIGINT NOT NULL CHECK (target >= 1),
  party_votes BIGINT NOT NULL DEFAULT 0,
  party_seq   BIGINT NOT NULL DEFAULT 0
);

-- Goals that were reached in a day, week or month, or had more votes already when they were set. Each is reached once.
CREATE TABLE reached_goals (
  guild_id   TEXT COLLATE "C" NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  starts_at  BIGINT NOT NULL,
  period     TEXT COLLATE "C" NOT NULL,
  target     BIGINT NOT NULL,
  reached_at BIGINT NOT NULL,
  PRIMARY KEY (guild_id, starts_at, period, target)
);
