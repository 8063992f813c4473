-- What pages say: why a voter is banned, and more about a community.
-- oldest-compatible: 1

-- Shown to the voter. `reason` is for operators.
ALTER TABLE voter_bans ADD COLUMN public_reason TEXT;

-- A longer text than the description, and up to five web addresses, one per line.
ALTER TABLE guild_profiles ADD COLUMN about TEXT NOT NULL DEFAULT '';
ALTER TABLE guild_profiles ADD COLUMN links TEXT NOT NULL DEFAULT '';
