/**
 * Whether a body looks like the form of a browser: a few parts with short headers. The parser of Node takes half a second
 * for 5 MB of parts or of headers, during which no other request gets a response.
 */
const CONTENT_TYPE = /^multipart\/form-data; *boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))$/i;
const MAX_PARTS = 8;
/** The name of a file is the longest part of it: up to 255 characters, of which some are percent-encoded. */
const MAX_HEADER_BYTES = 4096;

export function isSmallForm(body: Buffer, contentType: string): boolean {
  const [, quoted, plain] = CONTENT_TYPE.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return false;
  let end = 0;
  for (let parts = 0; parts <= MAX_PARTS; parts += 1) {
    const at = body.indexOf(boundary, end, 'latin1');
    if (at < 0) return parts > 0;
    // Two hyphens are in front of the first boundary.
    if (parts === 0 && at > 2) return false;
    end = at + boundary.length;
    const isLast = end + '--\r\n'.length >= body.length;
    if (!isLast && !body.subarray(end, end + MAX_HEADER_BYTES).includes('\r\n\r\n')) return false;
  }
  return false;
}
