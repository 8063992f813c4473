/** The required form of a response when the service itself fails. */
import type { Answer } from './client.ts';

const INSIDE = /SQLITE|SqliteError|ECONN|pg_|postgres:|node_modules|\n\s+at /;

/** An error page that says that the error is ours. */
export function isWordedPage({ status, text, headers }: Answer): boolean {
  const isPage = String(headers['content-type']).startsWith('text/html');
  return status === 500 && isPage && text.includes('The error is on our side.') && !INSIDE.test(text);
}

/** Exactly the error body of the contract. */
export function isWordedError({ status, text, headers }: Answer): boolean {
  if (status !== 500 || headers['content-type'] !== 'application/json; charset=utf-8') return false;
  const { ok, error, message, ...rest } = JSON.parse(text);
  const isWhole = ok === false && error === 'INTERNAL_ERROR' && typeof message === 'string' && message !== '';
  return isWhole && Object.keys(rest).length === 0 && !INSIDE.test(text);
}
