const PREFIX = 'whsec_';
/** Standard Webhooks: between 24 and 64 bytes. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** The bytes of each secret; undefined if there is none, or if one of them is not a webhook secret. */
export function readSecrets(secret: unknown): Uint8Array<ArrayBuffer>[] | undefined {
  const secrets = Array.isArray(secret) ? secret : [secret];
  const keys = secrets.map(readSecret).filter((key) => key !== undefined);
  return keys.length > 0 && keys.length === secrets.length ? keys : undefined;
}

function readSecret(secret: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof secret !== 'string') return undefined;
  const text = secret.trim();
  const key = decodeBase64(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text);
  return key && key.length >= MIN_BYTES && key.length <= MAX_BYTES ? key : undefined;
}

/** Undefined if the text is not base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
