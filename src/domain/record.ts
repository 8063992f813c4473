/** Values of unknown shape, such as a parsed query string or body. */

/** Whether an unknown value has fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * One value of a parsed query string or header list, before validation: the first value of a repeated name, which the
 * validator rejects later.
 */
export function firstText(source: unknown, name: string): string | undefined {
  if (!isRecord(source)) return undefined;
  const value = source[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}
