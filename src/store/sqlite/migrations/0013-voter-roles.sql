-- Roles in Discord for users who vote.
-- oldest-compatible: 1

-- The voter role of a guild. Without a role it is turned off, and the members who have it lose it.
CREATE TABLE voter_roles (
  guild_id     TEXT PRIMARY KEY NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  role_id      TEXT,
  rule         TEXT CHECK (rule IN ('recent', 'month')),
  amount       INTEGER CHECK (amount >= 1),
  -- When the first member is to be checked. Null: there is nothing to do.
  due_at       INTEGER,
  -- Nothing is checked before: a worker is doing it, or Discord does not allow it yet.
  paused_until INTEGER NOT NULL DEFAULT 0,
  -- Why Discord does not let the app change roles, and since when.
  problem      TEXT,
  problem_at   INTEGER
) STRICT, WITHOUT ROWID;

-- Does not lead with guild_id: the worker reads the due guilds.
CREATE INDEX voter_roles_due ON voter_roles (due_at) WHERE due_at IS NOT NULL;

-- Users who have a voter role, may have it, or voted and are to be checked.
CREATE TABLE voter_role_members (
  guild_id TEXT NOT NULL REFERENCES guilds (guild_id) ON DELETE CASCADE,
  user_id  TEXT NOT NULL,
  role_id  TEXT NOT NULL,
  -- requested: an attempt to add the role ended without a result.
  state    TEXT NOT NULL CHECK (state IN ('none', 'requested', 'assigned')),
  check_at INTEGER NOT NULL,
  -- Changes with every vote, so that a check that began before it does not count as one after it.
  version  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (guild_id, user_id, role_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX voter_role_members_due ON voter_role_members (guild_id, check_at);

-- Does not lead with guild_id: a user is erased or exported in all guilds.
CREATE INDEX voter_role_members_by_user ON voter_role_members (user_id);
