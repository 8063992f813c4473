/** What stands in a log where a secret was. */
export const REDACTED = '[redacted]';

/** Our own secrets by their looks, wherever they stand: API keys, webhook secrets. */
const SECRET_TEXT = /(vty|whsec)_[0-9A-Za-z+/=]+/g;
const SECRET_NAME = /token|key|secret|password|authorization|^code$|^state$/i;
/** Matches every address in which either of the above could be found; most have none, and are done with here. */
const SUSPICIOUS = /%|vty_|whsec_|token|key|secret|password|authorization|code|state/i;
const MAX_URL_LENGTH = 2048;

/** Takes every text that looks like one of our secrets out of a line. */
export function redactText(text: string): string {
  // Every line of the log passes here, and hardly one has a secret: looking first is several times cheaper.
  if (!text.includes('vty_') && !text.includes('whsec_')) return text;
  return text.replace(SECRET_TEXT, `$1_${REDACTED}`);
}

/**
 * An address that may be logged: no value of a parameter that is named like a secret, nothing that looks like
 * one of ours, in whatever percent-encoding it was written, since a server decodes that too.
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

/** Text that only shows its secret when decoded is dropped whole: cutting it out exactly would gain nothing. */
function redactPart(text: string): string {
  const redacted = redactText(text);
  if (!redacted.includes('%')) return redacted;
  const decoded = decodeFully(redacted);
  return decoded !== undefined && redactText(decoded) === decoded ? redacted : REDACTED;
}

/** A proxy or a careless client may encode an address again. More often than this, nobody does by accident. */
const MAX_ENCODINGS = 4;

/** The text under all of its encodings; `undefined` when there are too many. */
function decodeFully(text: string): string | undefined {
  let decoded = text;
  for (let round = 0; round <= MAX_ENCODINGS; round += 1) {
    const next = decode(decoded);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return undefined;
}

/** Escapes that are broken are left as they are; the rest of the text is still decoded. */
function decode(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
