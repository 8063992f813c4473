-- Pictures that admins upload for the public page of their community.
-- oldest-compatible: 1

-- Always a JPEG file, encoded by the service. `version` is a hash of its bytes, `alt` its description for screen readers.
CREATE TABLE guild_banners (
  guild_id TEXT COLLATE "C" PRIMARY KEY REFERENCES guilds (guild_id) ON DELETE CASCADE,
  version  TEXT NOT NULL,
  alt      TEXT NOT NULL,
  bytes    BYTEA NOT NULL
);
