-- Until when a test of this endpoint is under way: one at a time.
ALTER TABLE webhook_endpoints ADD COLUMN testing_until INTEGER;

-- A test is never replayed, and only the newest ones of a guild are kept.
ALTER TABLE webhook_events ADD COLUMN is_test INTEGER NOT NULL DEFAULT 0 CHECK (is_test IN (0, 1));
UPDATE webhook_events SET is_test = 1 WHERE type = 'webhook_test';
CREATE INDEX webhook_events_tests ON webhook_events (guild_id, event_id) WHERE is_test = 1;
