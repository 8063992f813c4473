/** Reads the body of a form with a picture. */
import type { Readable } from 'node:stream';
import { PageError } from '../errors/page-error.ts';
import { MAX_UPLOAD_BYTES } from './banner-encoder.ts';

/** A file, and the other fields of its form. */
export const MAX_BODY_BYTES = MAX_UPLOAD_BYTES + 64 * 1024;

/**
 * A body over the limit is read to its end and discarded: a browser shows the response only when it has sent the whole
 * file. The time limit of requests applies.
 */
export async function readUpload(payload: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of payload) {
      length += part.length;
      if (length <= MAX_BODY_BYTES) parts.push(part);
      else parts.length = 0;
    }
  } catch (cause) {
    // The visitor closed the connection, or took too long: nothing is wrong with the service.
    throw new PageError('BAD_FORM', { cause });
  }
  if (length > MAX_BODY_BYTES) throw new PageError('FORM_TOO_LARGE');
  return Buffer.concat(parts);
}
