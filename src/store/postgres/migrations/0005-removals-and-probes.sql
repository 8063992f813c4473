-- Communities that are removed in steps, and a table to probe whether the database can be written.
-- oldest-compatible: 1

-- When the removal of the guild began. It is no longer shown anywhere; its rows are deleted in batches, its own row last.
ALTER TABLE guilds ADD COLUMN removed_at BIGINT;

CREATE INDEX guilds_removed ON guilds (guild_id) WHERE removed_at IS NOT NULL;

-- Health checks insert a row that needs a page of its own, and roll back. The table therefore has to grow, which fails
-- on a full disk; vacuum removes all of its pages, because none of them has a row.
CREATE TABLE write_probes (
  padding TEXT NOT NULL
);

ALTER TABLE write_probes ALTER COLUMN padding SET STORAGE PLAIN;
