import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { domainToASCII } from 'node:url';
import { ConfigError } from '../config/variables.ts';
import type { Config } from '../config.ts';
import { DAY_MS, type Instant, SECOND_MS } from '../domain/clock.ts';
import { systemCode, systemReason } from '../domain/system-error.ts';
import { giveToFolderOwner, makePrivateFolder, OWNER_ONLY, restrictToOwner } from '../store/private-file.ts';
import { createSelfSigned } from './self-signed.ts';

export type Certificate = { cert: string; key: string; isSelfSigned: boolean };

/** The configured certificate, or a self-signed one that is created once. */
export async function loadCertificate(config: Config, now: Instant): Promise<Certificate> {
  if (config.tlsFiles === null) return { ...(await loadSelfSigned(config, now)), isSelfSigned: true };
  return { ...(await loadGiven(config.tlsFiles)), isSelfSigned: false };
}

/** TLS options of the server. A stalled handshake must not occupy a connection for Node's default of two minutes. */
export function tlsOptions(certificate: Certificate): SecureContextOptions & { handshakeTimeout: number } {
  const { cert, key } = certificate;
  return { cert, key, minVersion: 'TLSv1.2', handshakeTimeout: 10 * SECOND_MS };
}

async function loadGiven(files: { cert: string; key: string }): Promise<{ cert: string; key: string }> {
  const cert = await readPem('VOTARY_TLS_CERT', files.cert);
  const key = await readPem('VOTARY_TLS_KEY', files.key);
  if (!parseCertificate(cert, files.cert).checkPrivateKey(parseKey(key, files.key))) {
    throw new ConfigError(
      'VOTARY_TLS_KEY',
      `does not match the certificate in VOTARY_TLS_CERT: ${files.key}`,
    );
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigError('VOTARY_TLS_CERT', `cannot be used for TLS: ${files.cert}: ${systemReason(error)}`);
  }
  return { cert, key };
}

async function readPem(variable: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(variable, `names a file that cannot be read: ${path}: ${systemReason(error)}`);
  });
}

function parseCertificate(pem: string, path: string): X509Certificate {
  try {
    // The class also reads DER, which TLS would reject later with a less clear error.
    if (!pem.includes('-----BEGIN ')) throw new Error('not PEM');
    return new X509Certificate(pem);
  } catch {
    throw new ConfigError('VOTARY_TLS_CERT', `must be a PEM file with a certificate: ${path}`);
  }
}

function parseKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new ConfigError(
      'VOTARY_TLS_KEY',
      `must be a PEM file with a private key without a passphrase: ${path}`,
    );
  }
}

const VALIDITY_MS = 3650 * DAY_MS;
/** Clients whose clock is behind must not see a certificate from the future. */
const BACKDATED_MS = DAY_MS;

/**
 * The key is created once and reused for every certificate: processes that start together may replace each other's
 * certificate, but key and certificate always match.
 */
export async function loadSelfSigned(config: Config, now: Instant): Promise<{ cert: string; key: string }> {
  const folder = join(config.dataDir, 'tls');
  const names = certificateNames(config);
  try {
    makePrivateFolder(folder);
    const key = await loadKey(join(folder, 'key.pem'));
    const path = join(folder, 'cert.pem');
    restrictToOwner(join(folder, 'key.pem'), path);
    const kept = await readIfExists(path);
    if (isUsable(kept, key, names, now)) return { cert: kept, key };
    const cert = createSelfSigned({
      privateKey: createPrivateKey(key),
      commonName: 'Votary self-signed',
      names,
      from: now - BACKDATED_MS,
      to: now + VALIDITY_MS,
    });
    await replaceFile(path, cert);
    return { cert, key };
  } catch (error) {
    throw new ConfigError('VOTARY_DATA_DIR', `must be a writable folder: ${folder}: ${systemReason(error)}`);
  }
}

/** Every name and address of the service. */
export function certificateNames({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): string[] {
  const publicHost = publicUrl === null ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')];
  // Without the zone of a link-local address, as in fe80::1%eth0.
  const [address = ''] = host.split('%', 1);
  const names = ['localhost', '127.0.0.1', '::1', address, ...publicHost];
  const usable = names.map((name) => (isIP(name) ? name : domainToASCII(name))).filter((name) => name !== '');
  return [...new Set(usable)];
}

async function loadKey(path: string): Promise<string> {
  const kept = await readIfExists(path);
  if (isPrivateKey(kept)) return kept;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const created = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  if (kept !== '') {
    await replaceFile(path, created);
    return created;
  }
  await createFile(path, created);
  return readFile(path, 'utf8');
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === 'private';
  } catch {
    return false;
  }
}

function isUsable(pem: string, key: string, names: readonly string[], now: Instant): boolean {
  try {
    const kept = new X509Certificate(pem);
    const isCurrent = kept.validFromDate.getTime() <= now && now < kept.validToDate.getTime();
    return (
      isCurrent &&
      kept.checkPrivateKey(createPrivateKey(key)) &&
      names.every((name) => coversName(kept, name))
    );
  } catch {
    return false;
  }
}

function coversName(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
}

/** Empty when the file does not exist. */
async function readIfExists(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  });
}

/** Creates the file atomically; if two processes do so, the first one wins. */
async function createFile(path: string, text: string): Promise<void> {
  await withDraft(path, text, (draft) =>
    link(draft, path).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    }),
  );
}

async function replaceFile(path: string, text: string): Promise<void> {
  await withDraft(path, text, (draft) => rename(draft, path));
}

async function withDraft(path: string, text: string, use: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, text, { mode: OWNER_ONLY, flag: 'wx', flush: true });
    giveToFolderOwner(draft);
    await use(draft);
  } finally {
    await rm(draft, { force: true });
  }
}
