import { hkdfSync } from 'node:crypto';

/** One key for each purpose, all derived from the master secret: knowing one tells nothing of another. */
export type Secrets = { sealKey: Buffer; cursorKey: Buffer; sessionKey: Buffer };

export function deriveSecrets(masterSecret: string): Secrets {
  return {
    sealKey: deriveKey(masterSecret, 'votary/seal-api-keys/v1'),
    cursorKey: deriveKey(masterSecret, 'votary/cursor/v1'),
    sessionKey: deriveKey(masterSecret, 'votary/session/v1'),
  };
}

function deriveKey(masterSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterSecret, '', purpose, 32));
}
