import { hkdfSync } from 'node:crypto';

/** One key for each purpose, all derived from the master secret: knowing one tells nothing of another. */
export type Secrets = { sealKey: Buffer; cursorKey: Buffer; sessionKey: Buffer };

/**
 * A master secret is one line. While it is being replaced it has a second one, which makes nothing new but opens
 * what was sealed under it: so a crash in the middle of a rotation leaves nothing that cannot be opened.
 */
export function deriveSecrets(masterSecret: string): Secrets {
  const [current = '', ...others] = masterSecret.split('\n');
  const sealKeys = [current, ...others].map((secret) => deriveKey(secret, 'votary/seal-api-keys/v1'));
  return {
    sealKey: Buffer.concat(sealKeys),
    cursorKey: deriveKey(current, 'votary/cursor/v1'),
    sessionKey: deriveKey(current, 'votary/session/v1'),
  };
}

function deriveKey(masterSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterSecret, '', purpose, 32));
}
