import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../../test/support/postgres/postgres-server.ts';
import { type RequestFiles, writeRequests } from '../load/requests.ts';
import { ensureImportFile } from './import-file.ts';
import { ensureListsDatabase, ensureSpreadDatabase, startBenchPostgres } from './postgres.ts';
import type { Shape } from './shape.ts';
import { ensureGuildsFile, ensureListsFile, ensureSpreadFile } from './sqlite.ts';

/**
 * All data sets. Each is created when a measure first asks for it, which takes minutes for the largest, and kept for
 * the next run. Files are returned as paths, databases as URLs.
 */
export type DataSets = {
  folder: string;
  shape: Shape;
  requests: RequestFiles;
  guildsFile(): Promise<string>;
  spreadFile(): Promise<string>;
  listsFile(): Promise<string>;
  importFile(): string;
  postgres(): Promise<PostgresServer>;
  spreadDatabase(): Promise<string>;
  listsDatabase(): Promise<string>;
  /** Stops PostgreSQL if it was started. */
  stop(): Promise<void>;
};

export function openDataSets(folder: string, shape: Shape): DataSets {
  mkdirSync(folder, { recursive: true });
  const [spreadPath, listsPath] = [join(folder, 'spread.db'), join(folder, 'lists.db')];
  let server: Promise<PostgresServer> | undefined;
  const data: DataSets = {
    folder,
    shape,
    requests: writeRequests(folder, shape),
    guildsFile: () => ensureGuildsFile(join(folder, 'guilds.db'), shape),
    spreadFile: () => ensureSpreadFile(spreadPath, shape),
    listsFile: async () => ensureListsFile(listsPath, await data.spreadFile(), shape),
    importFile: () => ensureImportFile(join(folder, `import-${shape.imported}.ndjson`), shape),
    postgres: () => {
      server ??= startBenchPostgres(join(folder, 'postgres'));
      return server;
    },
    spreadDatabase: async () => ensureSpreadDatabase(folder, await data.postgres(), shape),
    listsDatabase: async () => {
      await data.spreadDatabase();
      return ensureListsDatabase(folder, await data.postgres(), shape);
    },
    stop: async () => (await server)?.stop(),
  };
  return data;
}
