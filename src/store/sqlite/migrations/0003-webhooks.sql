-- `events` lists what the endpoint asked for, with commas between. Secrets are sealed.
CREATE TABLE webhook_endpoints (
  guild_id              TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  endpoint_id           TEXT NOT NULL,
  url                   TEXT NOT NULL,
  events                TEXT NOT NULL,
  secret                TEXT NOT NULL,
  previous_secret       TEXT,
  previous_secret_until INTEGER,
  created_at            INTEGER NOT NULL,
  failing_since         INTEGER,
  disabled_at           INTEGER,
  disabled_reason       TEXT CHECK (disabled_reason IN ('gone', 'failing')),
  PRIMARY KEY (guild_id, endpoint_id)
) STRICT, WITHOUT ROWID;

-- Ids begin with the time, so the primary key is also the order of the log. `body` is the text that is signed and sent.
CREATE TABLE webhook_events (
  guild_id  TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  event_id  TEXT NOT NULL,
  type      TEXT NOT NULL,
  occurs_at INTEGER NOT NULL,
  body      TEXT NOT NULL,
  PRIMARY KEY (guild_id, event_id)
) STRICT, WITHOUT ROWID;

-- A claimed delivery is due again when its claim ends, so a worker that died loses nothing. No reference to the
-- endpoint: a vote must not fail because its endpoint is removed at the same moment.
CREATE TABLE webhook_deliveries (
  guild_id        TEXT NOT NULL,
  event_id        TEXT NOT NULL,
  endpoint_id     TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  tries           INTEGER NOT NULL DEFAULT 0,
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  claimed_until   INTEGER,
  PRIMARY KEY (guild_id, event_id, endpoint_id),
  FOREIGN KEY (guild_id, event_id) REFERENCES webhook_events (guild_id, event_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The queue: what is due, endpoint by endpoint, so that a long queue of one is not walked for another's.
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
