-- What admins call an endpoint, and since when they have held its deliveries back.
ALTER TABLE webhook_endpoints ADD COLUMN name TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN paused_at INTEGER;

-- `detail` is JSON. What one actor repeats within an hour is one row: `count` times from `first_at` to `at`.
-- Such repetitions have the same `merge_key`; rows from before have none.
ALTER TABLE activities ADD COLUMN detail TEXT;
ALTER TABLE activities ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
ALTER TABLE activities ADD COLUMN first_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE activities ADD COLUMN merge_key TEXT;
UPDATE activities SET first_at = at;

CREATE UNIQUE INDEX activities_merged ON activities (guild_id, merge_key);
