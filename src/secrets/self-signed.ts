import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { ConfigError } from '../config/variables.ts';
import type { Config } from '../config.ts';
import { DAY_MS, type Instant } from '../domain/clock.ts';
import { closeToOthers, makePrivateFolder, OWNER_ONLY } from '../store/shared/private-file.ts';
import { systemCode, systemReason } from './files.ts';

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
    closeToOthers(join(folder, 'key.pem'), path);
    const kept = await readKept(path);
    if (isUsable(kept, key, names, now)) return { cert: kept, key };
    const cert = await signCertificate(key, names, now);
    await replaceFile(path, cert);
    return { cert, key };
  } catch (error) {
    throw new ConfigError('VOTARY_DATA_DIR', `must be a writable folder: ${folder}: ${systemReason(error)}`);
  }
}

/** Every name and address of the service. */
export function certificateNames({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): string[] {
  const publicHost = publicUrl === null ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')];
  const names = ['localhost', '127.0.0.1', '::1', host.replace(/%.*$/, ''), ...publicHost];
  const usable = names.map((name) => (isIP(name) ? name : domainToASCII(name))).filter((name) => name !== '');
  return [...new Set(usable)];
}

async function loadKey(path: string): Promise<string> {
  const kept = await readKept(path);
  if (isPrivateKey(kept)) return kept;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const made = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  if (kept !== '') {
    await replaceFile(path, made);
    return made;
  }
  await createFile(path, made);
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
    const isInTime = kept.validFromDate.getTime() <= now && now < kept.validToDate.getTime();
    return (
      isInTime && kept.checkPrivateKey(createPrivateKey(key)) && names.every((name) => isNamed(kept, name))
    );
  } catch {
    return false;
  }
}

function isNamed(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
}

async function signCertificate(key: string, names: readonly string[], now: Instant): Promise<string> {
  // Loaded on demand: most starts find an existing certificate.
  const { generate } = await import('selfsigned');
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  const { cert } = await generate([{ name: 'commonName', value: 'Votary self-signed' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    keyPair: { privateKey: key, publicKey },
    notBeforeDate: new Date(now - BACKDATED_MS),
    notAfterDate: new Date(now + VALIDITY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
  });
  return cert;
}

/** Empty when the file does not exist. */
async function readKept(path: string): Promise<string> {
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
    await use(draft);
  } finally {
    await rm(draft, { force: true });
  }
}
