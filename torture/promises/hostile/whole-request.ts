/** Parses what was sent on a connection as the strictest server would. */
export type WholeRequest = { method: string; target: string };

const REQUEST_LINE = /^([A-Z]+) ([!-~\x80-\xff]+) HTTP\/1\.[01]$/;
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+):([^\0\r\n]*)$/;
/** With these headers, the client alone does not determine where the request ends or what follows it. */
const UNSETTLING = new Set(['transfer-encoding', 'upgrade', 'expect']);
/** Starts HTTP/2 and continues after the empty line: the server correctly waits for the rest, up to its limit. */
const PREFACE = 'PRI';

/** The only request in this text if it is complete and nothing follows; such a request must get a response. */
export function readWholeRequest(sent: string): WholeRequest | undefined {
  const headEnd = sent.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [requestLine = '', ...lines] = sent.slice(0, headEnd).split('\r\n');
  const [, method, target] = REQUEST_LINE.exec(requestLine) ?? [];
  if (method === undefined || target === undefined || method === PREFACE) return undefined;
  const headers = lines.map(readHeader);
  const isSettled = headers.every((header) => header !== undefined && !UNSETTLING.has(header.name));
  const lengths = headers.filter((header) => header?.name === 'content-length');
  const bodyLength = sent.length - headEnd - 4;
  const isFramed =
    lengths.length === 0
      ? bodyLength === 0
      : lengths.length === 1 && lengths[0]?.value === String(bodyLength);
  return isSettled && isFramed ? { method, target } : undefined;
}

function readHeader(line: string): { name: string; value: string } | undefined {
  const [, name, value] = HEADER_LINE.exec(line) ?? [];
  return name === undefined || value === undefined
    ? undefined
    : { name: name.toLowerCase(), value: value.trim() };
}
