/** Parses the bytes of a connection as a client does, and reports errors. */
export type RawAnswer = { status: number; headers: Map<string, string>; body: string };

const STACK = /\n\s+at .+:\d+:\d+|node:internal|\/src\/|SQLITE_|SqliteError|TypeError|node_modules/;

/** With problem details, the errors in the format of top.gg's v1. */
const JSON_TYPE = /^application\/(?:problem\+)?json/;

/** What a server must never send, regardless of the request; `undefined` when nothing is wrong. */
export function faultIn(
  received: string,
  isApi: (answer: RawAnswer, index: number) => boolean,
): string | undefined {
  if (received === '') return undefined;
  const answers = splitAnswers(received);
  if (answers === undefined) return 'is not HTTP';
  for (const [index, answer] of answers.entries()) {
    if (answer.status >= 500) return `has status ${answer.status}`;
    if (STACK.test(answer.body)) return 'shows the inside of the program';
    const type = answer.headers.get('content-type') ?? '';
    if (isApi(answer, index) && answer.body !== '' && !JSON_TYPE.test(type))
      return `is ${type || 'of no type'}, not JSON`;
    if (JSON_TYPE.test(type) && answer.body !== '' && !isJson(answer.body)) return 'is broken JSON';
  }
  return undefined;
}

/**
 * Whether the response to one request with this method is complete. One without a length lasts until the connection
 * closes, so it never is.
 */
export function isWholeAnswer(received: string, method: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return false;
  const rest = received.slice(headEnd + 4);
  const status = Number(received.slice('HTTP/1.1 '.length, headEnd).slice(0, 3));
  if (status < 200) return isWholeAnswer(rest, method);
  if (method === 'HEAD' || status === 204 || status === 304) return true;
  const headers = readHeaders(received.slice(0, headEnd));
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(rest).isEnded;
  const length = headers.get('content-length');
  return length !== undefined && rest.length >= Number(length);
}

/** Every response on the connection; `undefined` when the text is not a sequence of them. */
export function splitAnswers(received: string): RawAnswer[] | undefined {
  const answers: RawAnswer[] = [];
  let rest = received;
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, headEnd === -1 ? undefined : headEnd);
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
    if (headEnd === -1 || status === undefined) return undefined;
    const headers = readHeaders(head);
    const { body, length } = readBody(rest.slice(headEnd + 4), Number(status), headers);
    answers.push({ status: Number(status), headers, body });
    rest = rest.slice(headEnd + 4 + length);
  }
  return answers;
}

function readHeaders(head: string): Map<string, string> {
  const lines = head.split('\r\n').slice(1);
  return new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
}

/** A response to HEAD has a length but no body: what follows is the next response, or the end. */
function readBody(
  rest: string,
  status: number,
  headers: Map<string, string>,
): { body: string; length: number } {
  if (status < 200 || status === 204 || status === 304) return { body: '', length: 0 };
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(rest);
  if (rest === '' || rest.startsWith('HTTP/1.1 ')) return { body: '', length: 0 };
  const named = headers.get('content-length');
  const lastsToTheEnd = named === undefined && headers.get('connection') === 'close';
  const length = lastsToTheEnd ? rest.length : Number(named ?? 0);
  return { body: rest.slice(0, length), length };
}

function readChunks(rest: string): { body: string; length: number; isEnded: boolean } {
  let body = '';
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.slice(at, lineEnd), 16);
    if (lineEnd === -1 || Number.isNaN(size)) return { body, length: at, isEnded: false };
    body += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return { body, length: at, isEnded: rest.length >= at };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
