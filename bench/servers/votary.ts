/** The full service, except for its clock and for limits that are never reached. */
import { tuneV8 } from '../../src/cli/serve/v8-flags.ts';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/service.ts';
import { SECRET } from '../data-sets/keys.ts';
import { clockAt, LIFTED_LIMIT } from './conditions.ts';
import { announce, readOptions } from './protocol.ts';

/** `demo`: over TLS, with the demo users. */
export type Transport = 'http' | 'tls' | 'demo';

export type VotaryOptions = { database: string; transport: Transport; dataDir: string };

const { database, transport, dataDir } = readOptions<VotaryOptions>();
const config = readConfig({
  VOTARY_DATABASE_URL: database,
  VOTARY_DATA_DIR: dataDir,
  VOTARY_PORT: '0',
  VOTARY_METRICS_PORT: '0',
  VOTARY_SECRET: SECRET,
  ...(transport === 'http' ? { VOTARY_TRUSTED_PROXIES: '127.0.0.0/8' } : {}),
});
const service = await startService(config, {
  clock: clockAt(Date.now),
  logLevel: 'info',
  rateLimit: LIFTED_LIMIT,
  isDemo: transport === 'demo',
});
tuneV8();
announce(service.url);
