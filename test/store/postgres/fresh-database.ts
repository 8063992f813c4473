import { after, before } from 'node:test';
import { Connections } from '../../../src/store/postgres/connection/connection.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';

/** A database with the current schema and connections to it, for the tests of a file or suite. */
export function useFreshDatabase(): { readonly url: string; readonly connections: Connections } {
  let opened: { database: TestDatabase; connections: Connections } | undefined;
  before(async () => {
    const database = await createMigratedDatabase();
    opened = { database, connections: new Connections(database.url) };
  });
  after(async () => {
    await opened?.connections.close();
    await opened?.database.drop();
  });
  function need() {
    if (!opened) throw new Error('the database is created before the first test');
    return opened;
  }
  return {
    get url() {
      return need().database.url;
    },
    get connections() {
      return need().connections;
    },
  };
}
