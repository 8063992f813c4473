/**
 * Parses a PostgreSQL URL as libpq does: several hosts, `target_session_attrs`, and TLS by `sslmode` and files.
 *
 *   parsePostgresUrl('postgres://votary:secret@db1:5432,db2:5432/votary?sslmode=verify-full&sslrootcert=/etc/ca.pem')
 */
import { SECOND_MS } from '../domain/clock.ts';
import { ConfigError } from './variables.ts';

export type TlsMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

/** `files` are read for every connection, so that renewed certificates are used without a restart. */
export type TlsSettings = {
  mode: TlsMode;
  files: { sslrootcert?: string; sslcert?: string; sslkey?: string };
  keyPassphrase?: string;
};

export type PostgresAddress = {
  /** The same address for each host, without the parameters that are read here. */
  hosts: { name: string; url: string }[];
  database: string;
  /** Whether a connection is only used if the server accepts writes. */
  needsWritable: boolean;
  /** How long a host may take to accept a connection. */
  connectTimeoutMs: number;
  tls: TlsSettings;
};

const VARIABLE = 'VOTARY_DATABASE_URL';
const DEFAULT_PORT = 5432;
const URL_PARTS = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HOST = /^((?:\[[\da-fA-F:.]+\]|[\w.%-]+))(?::(\d{1,5}))?$/;
const TLS_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const;
const READ_HERE = ['target_session_attrs', 'connect_timeout', 'sslmode', 'sslpassword', ...TLS_FILES];

/** Throws `ConfigError`. The value may contain a password, so no message repeats it. */
export function parsePostgresUrl(value: string): PostgresAddress {
  const [, scheme, user, hostList = '', path = '', query = ''] = URL_PARTS.exec(value) ?? [];
  if (scheme === undefined) throw malformed();
  const parameters = new URLSearchParams(query);
  const tls = readTls(parameters);
  const attributes = parameters.get('target_session_attrs');
  const connectTimeoutMs = readConnectTimeout(parameters.get('connect_timeout'));
  for (const name of READ_HERE) parameters.delete(name);
  rejectUnknownTls(parameters);
  const rest = `/${path}${parameters.size > 0 ? `?${parameters}` : ''}`;
  const login = user === undefined ? '' : `${user}@`;
  const names = hostList.split(',');
  const hosts = names.map((name) => {
    const isDefault = name === '' && names.length === 1;
    if (!isDefault && !isHost(name)) throw malformed();
    const url = `${scheme}${login}${name}${rest}`;
    if (!isDefault && !URL.canParse(url)) throw malformed();
    return { name: withPort(name || parameters.get('host') || 'localhost'), url };
  });
  return {
    hosts,
    database: decode(path),
    needsWritable: readSessionAttributes(attributes, hosts.length > 1),
    connectTimeoutMs,
    tls,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

function isHost(name: string): boolean {
  const [, host, port] = HOST.exec(name) ?? [];
  return host !== undefined && (port === undefined || (Number(port) > 0 && Number(port) < 65_536));
}

function withPort(name: string): string {
  return /:\d+$/.test(name) && !name.endsWith(']') ? name : `${name}:${DEFAULT_PORT}`;
}

function malformed(): ConfigError {
  return new ConfigError(
    VARIABLE,
    'must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE, with several hosts as HOST1:5432,HOST2:5432; special characters in the password are percent-encoded (# is %23, / is %2F, @ is %40)',
  );
}

/** Only one of several servers accepts writes, so by default the others are skipped. */
function readSessionAttributes(value: string | null, hasSeveralHosts: boolean): boolean {
  if (value === null) return hasSeveralHosts;
  if (value === 'read-write' || value === 'primary') return true;
  if (value === 'any') return false;
  throw new ConfigError(
    VARIABLE,
    'has a target_session_attrs other than read-write, primary or any: Votary needs a server that accepts writes',
  );
}

const DEFAULT_CONNECT_SECONDS = 3;

function readConnectTimeout(value: string | null): number {
  const seconds = value ?? String(DEFAULT_CONNECT_SECONDS);
  if (/^[1-9]\d{0,3}$/.test(seconds)) return Number(seconds) * SECOND_MS;
  throw new ConfigError(VARIABLE, 'has a connect_timeout that is not a number of seconds from 1 to 9999');
}

function readTls(parameters: URLSearchParams): TlsSettings {
  const given = TLS_FILES.flatMap((name) => {
    const file = parameters.get(name);
    return file ? [[name, file] as const] : [];
  });
  const files: TlsSettings['files'] = Object.fromEntries(given);
  const mode = readTlsMode(parameters, given.length > 0);
  if ((files.sslcert === undefined) !== (files.sslkey === undefined))
    throw new ConfigError(VARIABLE, 'needs both sslcert and sslkey, or neither');
  if (mode === 'verify-ca' && files.sslrootcert === undefined)
    throw new ConfigError(
      VARIABLE,
      'has sslmode=verify-ca without sslrootcert: name the file with the certificate authority, or use verify-full',
    );
  const keyPassphrase = parameters.get('sslpassword');
  return { mode, files, ...(keyPassphrase === null ? {} : { keyPassphrase }) };
}

/** A misspelled `sslmode` would turn TLS off. `ssl` and `sslnegotiation` are read by the driver. */
function rejectUnknownTls(parameters: URLSearchParams): void {
  const unknown = [...parameters.keys()].find((name) => /^ssl(?!$|negotiation$)/.test(name));
  if (unknown === undefined) return;
  const known = READ_HERE.filter((name) => name.startsWith('ssl')).join(', ');
  throw new ConfigError(VARIABLE, `has an unknown parameter ${JSON.stringify(unknown)}: use ${known}`);
}

function readTlsMode(parameters: URLSearchParams, hasFiles: boolean): TlsMode {
  const value = parameters.get('sslmode');
  if (value === null) return hasFiles ? 'verify-full' : 'disable';
  if (isTlsMode(value)) return value;
  throw new ConfigError(VARIABLE, `has an unknown sslmode: use ${TLS_MODES.join(', ')}`);
}

function isTlsMode(value: string): value is TlsMode {
  return TLS_MODES.includes(value);
}
