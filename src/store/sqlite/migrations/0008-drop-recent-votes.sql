-- A server keeps recent votes in memory and learns of other programs' changes from PRAGMA data_version.
DROP TRIGGER votes_keep_recent;
DROP TRIGGER guilds_count_added;
DROP TRIGGER guilds_count_changed;
DROP TRIGGER guilds_count_removed;
DROP TABLE recent_votes;
DROP TABLE watched_state;
