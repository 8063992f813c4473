-- Communities that are removed in steps, and a table to probe whether the database can be written.
-- oldest-compatible: 1

-- When the removal of the guild began. It is no longer shown anywhere; its rows are deleted in batches, its own row last.
ALTER TABLE guilds ADD COLUMN removed_at INTEGER;

CREATE INDEX guilds_removed ON guilds (guild_id) WHERE removed_at IS NOT NULL;

-- Written by health checks. It has at most one row.
CREATE TABLE write_probes (
  id        INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  probed_at INTEGER NOT NULL
) STRICT;
