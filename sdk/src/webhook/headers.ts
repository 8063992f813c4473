/** Web `Headers`, or the plain object of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, case-insensitive; undefined if it is missing, empty, or present more than once. */
export function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const value = find(headers, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Headers that cannot be read count as missing, so that verification never throws. */
function find(headers: WebhookHeaders, name: string): unknown {
  try {
    return isWebHeaders(headers) ? headers.get(name) : findInObject(headers, name);
  } catch {
    return undefined;
  }
}

/** Checks for the method and not the class, because runtimes and `fetch` libraries have different classes. */
function isWebHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === 'function';
}

function findInObject(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  const found = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  const values = found.flatMap(([, value]) => value);
  return values.length === 1 ? values[0] : undefined;
}
