import { isRecord } from './record.ts';

/**
 * One value of a parsed query string or header list, before validation: a name given twice counts with its
 * first value here, and is refused by the validator later.
 */
export function firstText(source: unknown, name: string): string | undefined {
  if (!isRecord(source)) return undefined;
  const value = source[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}
