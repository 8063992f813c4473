import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ConfigError } from '../config/variables.ts';
import type { Config } from '../config.ts';
import { type Instant, SECOND_MS } from '../domain/clock.ts';
import { systemReason } from './files.ts';
import { loadSelfSigned } from './self-signed.ts';

export type Certificate = { cert: string; key: string; isSelfSigned: boolean };

/** The configured certificate, or a self-signed one that is created once. */
export async function loadCertificate(config: Config, now: Instant): Promise<Certificate> {
  if (config.tlsFiles === null) return { ...(await loadSelfSigned(config, now)), isSelfSigned: true };
  return { ...(await loadGiven(config.tlsFiles)), isSelfSigned: false };
}

/** TLS options of the server. A stalled handshake must not hold a connection for Node's default of two minutes. */
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
