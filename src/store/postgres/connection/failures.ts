import { parsePostgresUrl } from '../../../config/postgres-url.ts';
import { OtherProgramError } from '../../maintenance/schema-history.ts';
import { StoreOpenError, StoreUnavailableError } from '../../store.ts';

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

/** SQLSTATE of a server that starts or stops, or that has no connection left. */
const UNREACHABLE_STATES = /^(?:08|57P0[123]$|53300$)/;
/** Also those of a server that is out of memory (53), has a failing disk, or has cancelled a long statement. */
const UNAVAILABLE_STATES = /^(?:08|57P0|53|57014$|58030$)/;
const READ_ONLY = '25006';
const LOCK_TIMEOUT = '55P03';
const UNIQUE_VIOLATION = '23505';
const CARDINALITY_VIOLATION = '21000';
const STATEMENT_TIMEOUT = '57014';
const DISK_FULL = '53100';
const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);
/** What the driver says about a connection that was lost or never made; it has no codes for it. */
const DRIVER_MESSAGES =
  /^(?:timeout expired$|timeout exceeded when|Connection terminated|Query read timeout$|Client (?:has encountered|was closed))/;
/** PgBouncer has no connection to its server. Its other refusals have the same SQLSTATE. */
const POOLER_MESSAGES =
  /server login has been failing|server_login_retry|query_wait_timeout|connect failed|server conn crashed/;
const PROTOCOL_VIOLATION = '08P01';

/** Whether the server did not respond, or is starting: connecting can succeed later without a change by the operator. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof NoHostError) {
    const failures = error.failures.map((failure) => failure.error);
    const isWaiting = (failure: unknown) => isUnreachable(failure) || failure instanceof ReadOnlyError;
    return failures.some(isUnreachable) && failures.every(isWaiting);
  }
  const code = codeOf(error);
  if (code === PROTOCOL_VIOLATION) return POOLER_MESSAGES.test(messageOf(error));
  return UNREACHABLE_STATES.test(code) || isLost(error);
}

/** A statement that failed because of the state of the server becomes a `StoreUnavailableError`. */
export function explainUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  const code = codeOf(error);
  if (error instanceof ReadOnlyError || code === READ_ONLY)
    return new StoreUnavailableError('read-only', error);
  if (code === DISK_FULL) return new StoreUnavailableError('full', error);
  const isAway = error instanceof NoHostError || UNAVAILABLE_STATES.test(code) || isLost(error);
  return isAway ? new StoreUnavailableError('unreachable', error) : error;
}

/** Whether a transaction has waited longer for a row than `lock_timeout` allows. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_TIMEOUT;
}

/** Whether a row with the same key exists: in any unique index, or in that of the constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== UNIQUE_VIOLATION) return false;
  return (
    constraint === undefined ||
    (error instanceof Error && 'constraint' in error && error.constraint === constraint)
  );
}

/** SQL that is true, or makes the statement fail if `condition` is true: then a subquery returns a second row. */
export function failIf(condition: string): string {
  return `((SELECT row FROM generate_series(1, CASE WHEN ${condition} THEN 2 ELSE 1 END) AS row) = 1)`;
}

/** Whether a statement may have failed because of `failIf`. */
export function isFailedCheck(error: unknown): boolean {
  return codeOf(error) === CARDINALITY_VIOLATION;
}

/** Whether the connection was lost or the server failed, so that a transaction may have been stored or not. */
export function isUncertain(error: unknown): boolean {
  return error instanceof StoreUnavailableError && codeOf(error.cause) !== STATEMENT_TIMEOUT;
}

function isLost(error: unknown): boolean {
  return NETWORK_CODES.has(codeOf(error)) || DRIVER_MESSAGES.test(messageOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Turns an error while opening the database into one line that says what to do. */
export function explainFailure(url: string, error: unknown): unknown {
  if (error instanceof StoreOpenError && !(error instanceof OtherProgramError)) return error;
  const { hosts, database } = parsePostgresUrl(url);
  const place = `${database} at ${hosts.map(({ name }) => name).join(',')}`;
  const message = `The PostgreSQL database ${place} cannot be opened: ${adviceFor(error)}`;
  return new StoreOpenError(message, error, isUnreachable(error));
}

function adviceFor(error: unknown): string {
  if (error instanceof NoHostError) {
    return error.failures.map((failure) => `${failure.host}: ${adviceFor(failure.error)}`).join(' ');
  }
  if (error instanceof StoreOpenError) return error.message;
  if (error instanceof ReadOnlyError) return 'it is read-only, like a standby.';
  const code = codeOf(error);
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
    case PROTOCOL_VIOLATION:
      // PgBouncer refuses settings that it does not know.
      if (!message.includes('unsupported startup parameter')) break;
      return `${message}. PgBouncer does not accept options= in VOTARY_DATABASE_URL: set the schema with ALTER ROLE … SET search_path instead, or add options to its ignore_startup_parameters.`;
    case '55P03':
      return 'another session has locked a table that must be migrated. Try again when it has ended.';
    case '42501':
      return `${message}. Allow the user to create tables, or run "votary migrate" as the owner of the tables.`;
  }
  // Any other error of a server that responded says itself what is wrong.
  return isUnreachable(error) || code === ''
    ? `${message}. Check that PostgreSQL is running and reachable from here.`
    : `${message}.`;
}

/** The driver has no code for it. */
export function lacksTls(error: unknown): boolean {
  return messageOf(error) === 'The server does not support SSL connections';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
