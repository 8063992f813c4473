import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RequestFiles, writeRequests } from '../load/requests.ts';
import { ensureImportFile } from './import-file.ts';
import { type BenchPostgres, startBenchPostgres } from './postgres.ts';
import type { Shape } from './shape.ts';
import { ensureGuildsFile, ensureListsFile, ensureSpreadFile } from './sqlite.ts';

/** All data sets. The first run creates them, which takes minutes, and keeps them. */
export type DataSets = {
  folder: string;
  shape: Shape;
  guildsPath: string;
  spreadPath: string;
  listsPath: string;
  importPath: string;
  requests: RequestFiles;
  postgres: BenchPostgres;
};

export async function ensureDataSets(folder: string, shape: Shape): Promise<DataSets> {
  mkdirSync(folder, { recursive: true });
  const paths = {
    guildsPath: join(folder, 'guilds.db'),
    spreadPath: join(folder, 'spread.db'),
    listsPath: join(folder, 'lists.db'),
    importPath: join(folder, `import-${shape.imported}.ndjson`),
  };
  await ensureGuildsFile(paths.guildsPath, shape);
  await ensureSpreadFile(paths.spreadPath, shape);
  await ensureListsFile(paths.listsPath, paths.spreadPath, shape);
  ensureImportFile(paths.importPath, shape);
  const requests = writeRequests(folder, shape);
  const postgres = await startBenchPostgres(join(folder, 'postgres'), shape);
  return { folder, shape, ...paths, requests, postgres };
}
