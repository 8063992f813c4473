-- Pictures that admins upload for the public page of their community.
-- oldest-compatible: 1

-- Always a JPEG file, encoded by the service. `version` is a hash of its bytes, `alt` its description for screen readers.
CREATE TABLE guild_banners (
  guild_id TEXT PRIMARY KEY NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  version  TEXT NOT NULL,
  alt      TEXT NOT NULL,
  bytes    BLOB NOT NULL
) STRICT;
