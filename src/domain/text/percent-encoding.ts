/**
 * Percent-encoding in URLs. The parser of query strings takes a malformed escape (`%zz`, `%E9` without the rest of its
 * UTF-8 sequence) literally, so `external_id=%E9` would name somebody called "%E9".
 */

/** Whether every value of this parameter is complete percent-encoded UTF-8. */
export function isWellEncoded(url: string, name: string): boolean {
  if (!url.includes('%')) return true;
  const start = url.indexOf('?');
  const pairs = start === -1 ? [] : url.slice(start + 1).split('&');
  return pairs.every((pair) => nameOf(pair) !== name || isDecodable(pair));
}

function nameOf(pair: string): string {
  const end = pair.indexOf('=');
  const name = end === -1 ? pair : pair.slice(0, end);
  return isDecodable(name) ? decodeURIComponent(name) : name;
}

/** Whether this text is complete percent-encoded UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
