-- The management API: tokens, stored responses, and a rate limit per community.
-- oldest-compatible: 1

-- Requests per minute of the community's key; null: VOTARY_RATE_LIMIT.
ALTER TABLE guilds ADD COLUMN rate_limit INTEGER;

-- Only the SHA-256 of a token is stored. `scopes` is separated by spaces.
CREATE TABLE api_tokens (
  token_id     TEXT PRIMARY KEY NOT NULL,
  hash         TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  scopes       TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  -- To the hour.
  last_used_at INTEGER,
  revoked_at   INTEGER
) STRICT, WITHOUT ROWID;

-- Responses of the management API, returned for a repeated Idempotency-Key. `body` is sealed, because a response can
-- contain an API key; it is null while the request is being processed.
CREATE TABLE stored_responses (
  token_id     TEXT NOT NULL REFERENCES api_tokens (token_id) ON DELETE CASCADE,
  key          TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status       INTEGER,
  body         TEXT,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (token_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX stored_responses_by_age ON stored_responses (created_at);
