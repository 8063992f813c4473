import { parsePostgresUrl } from '../../../config/postgres-url.ts';
import { StoreOpenError } from '../../store.ts';

/** The server is a standby, or was set to be read-only. */
export class ReadOnlyError extends Error {
  constructor() {
    super('the server is read-only');
  }
}

/** No host of the address can be used. */
export class NoHostError extends Error {
  readonly failures: readonly { host: string; error: unknown }[];

  constructor(failures: readonly { host: string; error: unknown }[]) {
    super(
      `no host can be used: ${failures.map(({ host, error }) => `${host}: ${messageOf(error)}`).join('; ')}`,
    );
    this.failures = failures;
  }
}

/** Turns an error while opening the database into one line that says what to do. */
export function explainFailure(url: string, error: unknown): unknown {
  if (error instanceof StoreOpenError) return error;
  const { hosts, database } = parsePostgresUrl(url);
  const place = `${database} at ${hosts.map(({ name }) => name).join(',')}`;
  return new StoreOpenError(`The PostgreSQL database ${place} cannot be opened: ${adviceFor(error)}`, error);
}

function adviceFor(error: unknown): string {
  if (error instanceof NoHostError) {
    return error.failures.map((failure) => `${failure.host}: ${adviceFor(failure.error)}`).join(' ');
  }
  if (error instanceof StoreOpenError) return error.message;
  if (error instanceof ReadOnlyError) return 'it is read-only, like a standby.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = messageOf(error);
  if (lacksTls(error))
    return 'it does not support TLS. Switch it on there (ssl = on), or use sslmode=disable.';
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return 'there is no response. Start PostgreSQL, or correct VOTARY_DATABASE_URL.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name does not exist. Correct VOTARY_DATABASE_URL.';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'its certificate is for another host name. Use a name in the certificate, or sslmode=verify-ca.';
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired. Renew it.';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return 'its certificate is not signed by a known authority. Name the authority with sslrootcert.';
    case '28000':
      if (message.includes('pg_hba.conf'))
        return `${message}. Allow this connection in pg_hba.conf, or use TLS (sslmode=require).`;
      return `${message}. Correct the user or the password in VOTARY_DATABASE_URL.`;
    case '28P01':
      return `${message}. Correct the user or the password in VOTARY_DATABASE_URL.`;
    case '3D000':
      return 'it does not exist. Create it (createdb), or correct VOTARY_DATABASE_URL.';
    case '55P03':
      return 'another session has locked a table that must be migrated. Try again when it has ended.';
    case '42501':
      return `${message}. Allow the user to create tables, or run "votary migrate" as the owner of the tables.`;
    default:
      return `${message}. Check that PostgreSQL is running and reachable from here.`;
  }
}

/** The driver has no code for it. */
export function lacksTls(error: unknown): boolean {
  return messageOf(error) === 'The server does not support SSL connections';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
