import { systemCode } from '../ops/system-error.ts';

/** What went wrong, in one line and without a stack, whatever was thrown. */
export function failureLine(error: unknown): string {
  return messageOf(error)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Some errors of the network carry only a code.
  return error.message || systemCode(error) || error.name;
}
