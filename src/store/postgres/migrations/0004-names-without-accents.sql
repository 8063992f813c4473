-- Names are searched without their accents from here on. SQL does not know how to fold a name, so guilds.name_folded
-- is written anew by the program that applies this file (migrate.ts); its shape stays as it is.
SELECT 1;
