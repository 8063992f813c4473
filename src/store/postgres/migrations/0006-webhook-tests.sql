-- Until when a test of this endpoint is under way: one at a time.
ALTER TABLE webhook_endpoints ADD COLUMN testing_until BIGINT;

-- A test is never replayed, and only the newest ones of a guild are kept.
ALTER TABLE webhook_events ADD COLUMN is_test BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE webhook_events SET is_test = TRUE WHERE type = 'webhook_test';
CREATE INDEX webhook_events_tests ON webhook_events (guild_id, event_id) WHERE is_test;
