/** The part of the contract about several programs, with real processes. `npm test` runs it with stores of one process. */
import { describe } from 'node:test';
import { severalProgramsContract } from './contract/database/several-programs.ts';
import { useSubject } from './contract.ts';
import { POSTGRES, SQLITE } from './fixtures.ts';
import { runInProcesses } from './processes.ts';

for (const [name, databases] of Object.entries({ SQLite: SQLITE, PostgreSQL: POSTGRES })) {
  describe(`processes on ${name}`, () => {
    const subject = useSubject(databases.createMigrated);
    severalProgramsContract(subject, databases.createEmpty, { name: 'processes', run: runInProcesses });
  });
}
