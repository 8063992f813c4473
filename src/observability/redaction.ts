/** Removes secrets from what is logged. */

/** Replaces a secret in the log. */
export const REDACTED = '[redacted]';

/** Recognizes our own secrets by their format: API keys, tokens of the management API, webhook secrets. */
const SECRET_TEXT = /(vty|vto|whsec)_[0-9A-Za-z+/=]+/g;
const SECRET_PREFIXES = ['vty_', 'vto_', 'whsec_'];
const SECRET_NAME = /token|key|secret|password|authorization|^code$|^state$/i;
/** Matches every URL that could contain one of the above; most do not and are skipped. */
const SUSPICIOUS = /%|vty_|vto_|whsec_|token|key|secret|password|authorization|code|state/i;
const MAX_URL_LENGTH = 2048;

/** Removes everything that looks like one of our secrets from a line. */
export function redactText(text: string): string {
  // Runs on every log line, and few contain a secret: testing first is several times cheaper.
  if (!SECRET_PREFIXES.some((prefix) => text.includes(prefix))) return text;
  return text.replace(SECRET_TEXT, (_secret, kind: string) => `${kind}_${REDACTED}`);
}

/**
 * Makes a URL safe to log: removes values of parameters with secret names, and everything that looks like one of our
 * secrets in any percent-encoding, because servers decode that too.
 */
export function redactUrl(url: string): string {
  if (!SUSPICIOUS.test(url)) return url.slice(0, MAX_URL_LENGTH);
  const queryStart = url.indexOf('?');
  if (queryStart === -1) return redactPart(url).slice(0, MAX_URL_LENGTH);
  const pairs = url.slice(queryStart + 1).split('&');
  const redacted = `${redactPart(url.slice(0, queryStart))}?${pairs.map(redactPair).join('&')}`;
  return redacted.slice(0, MAX_URL_LENGTH);
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=');
  if (equals === -1) return redactPart(pair);
  const name = redactPart(pair.slice(0, equals));
  const value = pair.slice(equals + 1);
  const decodedName = decodeFully(name);
  const isSecret = decodedName === undefined || SECRET_NAME.test(decodedName);
  return `${name}=${isSecret ? REDACTED : redactPart(value)}`;
}

/** Text that contains a secret only when decoded is removed as a whole. */
function redactPart(text: string): string {
  const redacted = redactText(text);
  if (!redacted.includes('%')) return redacted;
  const decoded = decodeFully(redacted);
  return decoded !== undefined && redactText(decoded) === decoded ? redacted : REDACTED;
}

/** A proxy or a careless client may encode a URL again, but not more often than this. */
const MAX_ENCODINGS = 4;

/** The fully decoded text; `undefined` when it is encoded too often. */
function decodeFully(text: string): string | undefined {
  let decoded = text;
  for (let round = 0; round <= MAX_ENCODINGS; round += 1) {
    const next = decode(decoded);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return undefined;
}

/** Leaves malformed escapes as they are and decodes the rest. */
function decode(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
