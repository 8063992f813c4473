/** Errors of the operating system, as Node reports them. */
import { getSystemErrorMessage } from 'node:util';

/** The readable part of a system error: "no such file or directory" instead of "ENOENT: …, open '…'". */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('errno' in error && typeof error.errno === 'number') {
    return getSystemErrorMessage(error.errno) || error.message;
  }
  return error.message;
}

/** The code of a system error (`ENOENT`, `EPIPE`), or `undefined` for any other error. */
export function systemCode(error: unknown): string | undefined {
  const hasCode = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return hasCode ? String(error.code) : undefined;
}
