/** Headers as a runtime gives them: the `Headers` of the web, or the plain object of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header in any spelling; undefined when it is missing, empty, or there more than once. */
export function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const value = find(headers, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Headers that cannot be read are not there: whoever verifies gets a refusal, never a throw. */
function find(headers: WebhookHeaders, name: string): unknown {
  try {
    return isWebHeaders(headers) ? headers.get(name) : findInObject(headers, name);
  } catch {
    return undefined;
  }
}

/** By what it can do: each runtime, and each `fetch` library, brings a class of its own. */
function isWebHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === 'function';
}

function findInObject(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  const found = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  const values = found.flatMap(([, value]) => value);
  return values.length === 1 ? values[0] : undefined;
}
