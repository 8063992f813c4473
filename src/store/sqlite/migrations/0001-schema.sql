-- Times are milliseconds since the Unix epoch.

CREATE TABLE guilds (
  guild_id        TEXT PRIMARY KEY NOT NULL,
  name            TEXT NOT NULL,
  -- The name for searches, folded by the program: databases fold non-ASCII letters differently.
  name_folded     TEXT NOT NULL DEFAULT '',
  created_at      INTEGER NOT NULL,
  doubling        TEXT NOT NULL DEFAULT 'never' CHECK (doubling IN ('never', 'weekends', 'always')),
  -- Votes under one name that are less than an hour apart earn one reward when claimed by name.
  one_reward_per_name INTEGER NOT NULL DEFAULT 1 CHECK (one_reward_per_name IN (0, 1)),
  premium_until   INTEGER,
  sanctioned_at   INTEGER,
  sanction_reason TEXT,
  -- When the operator removed it from the listing. The voting page, the dashboard and the API are unchanged.
  unlisted_at     INTEGER,
  -- The same, by its own admins. Neither side can undo the decision of the other.
  hidden_at       INTEGER,
  -- The version of the icon in guild_icons; null without one.
  icon_version    TEXT,
  key_hash        TEXT,
  key_sealed      TEXT,
  key_created_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX guilds_by_key_hash ON guilds (key_hash) WHERE key_hash IS NOT NULL;

-- The order in which the operator console lists communities.
CREATE INDEX guilds_by_name ON guilds (name_folded, guild_id);

CREATE INDEX guilds_sanctioned ON guilds (guild_id) WHERE sanctioned_at IS NOT NULL;

CREATE INDEX guilds_unlisted ON guilds (guild_id) WHERE unlisted_at IS NOT NULL;

-- Votes have no surrogate key: guild, time and user identify a vote, and that is the order of lists.
CREATE TABLE votes (
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  cast_at     INTEGER NOT NULL,
  user_id     TEXT NOT NULL,
  external_id TEXT,
  -- external_id without its case, folded by the program.
  name_key    TEXT,
  is_doubled  INTEGER NOT NULL CHECK (is_doubled IN (0, 1)),
  -- The order of acceptance within the guild; imported votes have none.
  seq         INTEGER,
  -- What is unusual about the vote: a sum of the bits in domain/votes/marks.ts.
  marks       INTEGER NOT NULL DEFAULT 0,
  -- A keyed hash of the voter's network, which starts with the period of its key. Removed after 30 days.
  network     TEXT,
  PRIMARY KEY (guild_id, cast_at, user_id),
  CHECK ((name_key IS NULL) = (external_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX votes_by_user ON votes (guild_id, user_id, cast_at);

CREATE INDEX votes_by_external_id ON votes (guild_id, name_key, cast_at, user_id) WHERE name_key IS NOT NULL;

CREATE UNIQUE INDEX votes_by_seq ON votes (guild_id, seq) WHERE seq IS NOT NULL;

CREATE INDEX votes_by_network ON votes (guild_id, network, cast_at) WHERE network IS NOT NULL;

CREATE INDEX votes_marked ON votes (guild_id, cast_at, user_id, marks) WHERE marks <> 0;

-- The only index of votes that does not lead with guild_id: the operator console reads marked votes of all guilds.
CREATE INDEX votes_marked_by_time ON votes (cast_at, guild_id, user_id, marks) WHERE marks > 0;

-- Who may vote for a guild; a guild without a row has no rules of its own. Secrets of signed links are sealed.
CREATE TABLE guild_rules (
  guild_id                   TEXT PRIMARY KEY NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  min_account_age_days       INTEGER NOT NULL DEFAULT 0,
  members_only               INTEGER NOT NULL DEFAULT 0 CHECK (members_only IN (0, 1)),
  signed_links_only          INTEGER NOT NULL DEFAULT 0 CHECK (signed_links_only IN (0, 1)),
  link_secret                TEXT,
  previous_link_secret       TEXT,
  previous_link_secret_until INTEGER
) STRICT, WITHOUT ROWID;

-- The public profile of a guild; without a row it is empty. `tags` is a comma-separated list.
CREATE TABLE guild_profiles (
  guild_id     TEXT PRIMARY KEY NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  description  TEXT NOT NULL DEFAULT '',
  tags         TEXT NOT NULL DEFAULT '',
  language     TEXT,
  invite       TEXT,
  -- The name on Discord when it was last read: a name set by the operator stays until that changes.
  discord_name TEXT
) STRICT, WITHOUT ROWID;

-- A copy of the icon on Discord. `source` is the identifier that Discord uses for it, `version` a hash of its bytes.
CREATE TABLE guild_icons (
  guild_id TEXT PRIMARY KEY NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  source   TEXT NOT NULL,
  version  TEXT NOT NULL,
  type     TEXT NOT NULL,
  bytes    BLOB NOT NULL
) STRICT;

-- Solved challenges, until they expire: each is accepted once.
CREATE TABLE used_challenges (
  guild_id     TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  challenge_id TEXT NOT NULL,
  expires_at   INTEGER NOT NULL,
  PRIMARY KEY (guild_id, challenge_id)
) STRICT, WITHOUT ROWID;

-- Each period has its own random salt. Without it nobody, not even the operator, can recompute votes.network.
CREATE TABLE network_keys (
  period INTEGER PRIMARY KEY NOT NULL,
  salt   TEXT NOT NULL
) STRICT;

-- The last number given to a vote of the guild.
CREATE TABLE vote_sequences (
  guild_id TEXT PRIMARY KEY NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  last_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per rewarded vote. `vote_id` identifies it when a claim is released. There is no reference to the vote: the
-- claim of a voided vote stays, so that its name is not rewarded twice.
CREATE TABLE vote_claims (
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  cast_at     INTEGER NOT NULL,
  user_id     TEXT NOT NULL,
  vote_id     TEXT NOT NULL,
  external_id TEXT,
  name_key    TEXT,
  claimed_at  INTEGER NOT NULL,
  PRIMARY KEY (guild_id, cast_at, user_id),
  UNIQUE (guild_id, vote_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX vote_claims_by_name ON vote_claims (guild_id, name_key, cast_at) WHERE name_key IS NOT NULL;

-- Voided votes are moved here out of `votes`, so no query has to filter them out. Restoring a batch moves them back.
CREATE TABLE void_batches (
  batch       TEXT PRIMARY KEY NOT NULL,
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  created_at  INTEGER NOT NULL,
  reason      TEXT,
  -- The votes of the batch; on SQLite it grows while a large batch is being voided.
  votes       INTEGER NOT NULL DEFAULT 0,
  restored_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX void_batches_by_guild ON void_batches (guild_id, created_at, batch);

CREATE INDEX void_batches_by_time ON void_batches (created_at, batch);

CREATE TABLE voided_votes (
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  cast_at     INTEGER NOT NULL,
  user_id     TEXT NOT NULL,
  external_id TEXT,
  name_key    TEXT,
  is_doubled  INTEGER NOT NULL CHECK (is_doubled IN (0, 1)),
  seq         INTEGER,
  marks       INTEGER NOT NULL,
  network     TEXT,
  batch       TEXT NOT NULL,
  PRIMARY KEY (guild_id, cast_at, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX voided_votes_by_batch ON voided_votes (guild_id, batch, cast_at, user_id);

CREATE INDEX voided_votes_by_network ON voided_votes (network) WHERE network IS NOT NULL;

-- Users who may not vote for any guild; `until` is null for a permanent ban.
CREATE TABLE voter_bans (
  user_id TEXT PRIMARY KEY NOT NULL,
  since   INTEGER NOT NULL,
  until   INTEGER,
  reason  TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX voter_bans_by_end ON voter_bans (until) WHERE until IS NOT NULL;

-- Discord profiles of people who signed in. A user without a row is displayed by id.
CREATE TABLE users (
  user_id   TEXT PRIMARY KEY NOT NULL,
  name      TEXT NOT NULL,
  -- The hash in the URL of the profile picture.
  avatar    TEXT,
  -- Whether the user agreed to appear by name on public pages.
  show_name INTEGER NOT NULL DEFAULT 0 CHECK (show_name IN (0, 1)),
  -- The last sign-in, to the day.
  seen_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX users_by_age ON users (seen_at);

-- Stored responses of claims, returned for a repeated key. `body` is the text that was sent.
CREATE TABLE idempotency_keys (
  guild_id     TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  key          TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  body         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (guild_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (guild_id, created_at);

-- One row per guild and user who ever voted. Concurrent votes of one user compete for this row.
CREATE TABLE cooldowns (
  guild_id     TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  user_id      TEXT NOT NULL,
  last_vote_at INTEGER NOT NULL,
  PRIMARY KEY (guild_id, user_id)
) STRICT, WITHOUT ROWID;

-- Users who want a direct message when they can vote again.
CREATE TABLE reminders (
  guild_id        TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  user_id         TEXT NOT NULL,
  locale          TEXT NOT NULL CHECK (locale IN ('en', 'fr')),
  -- The last vote, or when reminders were turned on. A message is due an hour after a vote.
  active_at       INTEGER NOT NULL,
  -- When to send the message; while a worker is sending it, when its claim expires. Null: there is nothing to send.
  next_attempt_at INTEGER,
  -- An attempt to send it ended without a result.
  may_be_sent     INTEGER NOT NULL DEFAULT 0 CHECK (may_be_sent IN (0, 1)),
  PRIMARY KEY (guild_id, user_id)
) STRICT, WITHOUT ROWID;

-- Does not lead with guild_id: the worker reads the due messages of all guilds.
CREATE INDEX reminders_due ON reminders (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

-- Does not lead with guild_id: a user who accepts no direct messages gets none from any guild.
CREATE INDEX reminders_by_user ON reminders (user_id);

-- Vote counts per hour and month, written in the transaction that writes the votes. An hour or month is identified
-- by its first instant in UTC.
CREATE TABLE hourly_votes (
  guild_id TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  hour     INTEGER NOT NULL,
  votes    INTEGER NOT NULL,
  doubled  INTEGER NOT NULL,
  -- The smallest seq of the hour's votes; null while all of them are imported. A feed can start from here.
  first_seq INTEGER,
  PRIMARY KEY (guild_id, hour)
) STRICT, WITHOUT ROWID;

CREATE TABLE monthly_votes (
  guild_id TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  month    INTEGER NOT NULL,
  votes    INTEGER NOT NULL,
  doubled  INTEGER NOT NULL,
  PRIMARY KEY (guild_id, month)
) STRICT, WITHOUT ROWID;

-- `detail` is JSON. Repeated actions of one actor within an hour are merged into one row, `count` times between
-- `first_at` and `at`, identified by `merge_key`.
CREATE TABLE activities (
  activity_id INTEGER PRIMARY KEY,
  guild_id    TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  at          INTEGER NOT NULL,
  actor_id    TEXT,
  actor_name  TEXT,
  action      TEXT NOT NULL,
  detail      TEXT,
  count       INTEGER NOT NULL DEFAULT 1,
  first_at    INTEGER NOT NULL,
  merge_key   TEXT
) STRICT;

CREATE INDEX activities_by_guild ON activities (guild_id, at, activity_id);

CREATE UNIQUE INDEX activities_merged ON activities (guild_id, merge_key);

-- The setup progress of a guild, for the checklist of its admins.
CREATE TABLE guild_milestones (
  guild_id            TEXT PRIMARY KEY NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  first_request_at    INTEGER,
  checklist_hidden_at INTEGER
) STRICT, WITHOUT ROWID;

-- How often something happened on a UTC day, for the operator console.
CREATE TABLE tallies (
  day   INTEGER NOT NULL,
  name  TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day, name)
) STRICT, WITHOUT ROWID;

-- Actions of operators. There is no reference to the guild, because the log outlives it. `detail` is JSON.
CREATE TABLE operator_actions (
  action_id  INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  actor_id   TEXT,
  actor_name TEXT,
  action     TEXT NOT NULL,
  guild_id   TEXT,
  detail     TEXT NOT NULL
) STRICT;

CREATE INDEX operator_actions_by_time ON operator_actions (at, action_id);

-- `events` is a comma-separated list of the subscribed event types. Secrets are sealed.
CREATE TABLE webhook_endpoints (
  guild_id              TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  endpoint_id           TEXT NOT NULL,
  name                  TEXT,
  kind                  TEXT NOT NULL DEFAULT 'https' CHECK (kind IN ('https', 'discord', 'votifier')),
  -- Without secrets: those of a Discord URL or a Votifier server are sealed in `secret`.
  url                   TEXT NOT NULL,
  -- JSON: the options of this kind of endpoint.
  options               TEXT NOT NULL DEFAULT '{}',
  events                TEXT NOT NULL,
  secret                TEXT NOT NULL,
  previous_secret       TEXT,
  previous_secret_until INTEGER,
  created_at            INTEGER NOT NULL,
  failing_since         INTEGER,
  paused_at             INTEGER,
  disabled_at           INTEGER,
  disabled_reason       TEXT CHECK (disabled_reason IN ('gone', 'failing')),
  -- A test of this endpoint is in progress until then: one at a time.
  testing_until         INTEGER,
  PRIMARY KEY (guild_id, endpoint_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (guild_id, endpoint_id)
  WHERE failing_since IS NOT NULL OR disabled_at IS NOT NULL;

-- Ids start with the time, so the primary key is also the order of the log. `body` is the text that is signed and sent.
CREATE TABLE webhook_events (
  guild_id  TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  event_id  TEXT NOT NULL,
  type      TEXT NOT NULL,
  occurs_at INTEGER NOT NULL,
  body      TEXT NOT NULL,
  is_test   INTEGER NOT NULL DEFAULT 0 CHECK (is_test IN (0, 1)),
  PRIMARY KEY (guild_id, event_id)
) STRICT, WITHOUT ROWID;

-- Tests are never replayed, and only the newest ones of a guild are kept.
CREATE INDEX webhook_events_tests ON webhook_events (guild_id, event_id) WHERE is_test = 1;

-- A claimed delivery is due again when its claim expires, so a crashed worker loses nothing. There is no reference to
-- the endpoint: a vote must not fail because its endpoint is removed at the same moment.
CREATE TABLE webhook_deliveries (
  guild_id        TEXT NOT NULL,
  event_id        TEXT NOT NULL,
  endpoint_id     TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'skipped', 'uncertain')),
  tries           INTEGER NOT NULL DEFAULT 0,
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  claimed_until   INTEGER,
  PRIMARY KEY (guild_id, event_id, endpoint_id),
  FOREIGN KEY (guild_id, event_id) REFERENCES webhook_events (guild_id, event_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The queue, per endpoint: a long backlog of one endpoint is not scanned for another.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (guild_id, endpoint_id, next_attempt_at, event_id)
  WHERE state = 'pending';

CREATE TABLE webhook_attempts (
  guild_id    TEXT NOT NULL,
  event_id    TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  number      INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  status      INTEGER,
  duration_ms INTEGER NOT NULL,
  answer      TEXT NOT NULL,
  error       TEXT,
  PRIMARY KEY (guild_id, event_id, endpoint_id, number),
  FOREIGN KEY (guild_id, event_id, endpoint_id)
    REFERENCES webhook_deliveries (guild_id, event_id, endpoint_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- One row: which master secret the sealed texts of this database belong to. A process with another one does not start.
CREATE TABLE master_secret (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  fingerprint TEXT NOT NULL
) STRICT;
