import type { Statements } from './database.ts';
import type { FingerprintStore } from './store.ts';

/** The primary key, in every statement. */
export function createFingerprintStore({ read, write }: Statements): FingerprintStore {
  const find = read<{ fingerprint: string }>('SELECT fingerprint FROM master_secret WHERE id = 1');
  const keep = write(
    'INSERT INTO master_secret (id, fingerprint) VALUES (1, @fingerprint) ON CONFLICT (id) DO NOTHING',
  );
  const replace = write(`
    INSERT INTO master_secret (id, fingerprint) VALUES (1, @fingerprint)
    ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint`);
  return {
    async find() {
      return (await find())[0]?.fingerprint;
    },
    async keep(fingerprint) {
      await keep({ fingerprint });
      return (await find())[0]?.fingerprint ?? fingerprint;
    },
    async replace(fingerprint) {
      await replace({ fingerprint });
    },
  };
}
