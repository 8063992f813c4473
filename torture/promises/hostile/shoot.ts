/** Sends hostile requests over real sockets, and reports every connection without the expected response or close. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { anyHostileRequest, type HostileOptions, type HostileRequest } from './hostile.ts';
import { faultIn, isWholeAnswer, type RawAnswer, splitAnswers } from './judge-answer.ts';
import { readWholeRequest, type WholeRequest } from './whole-request.ts';

export type Target = { port: number; isTls: boolean };

export type ShotCounts = {
  requests: number;
  /** Of these, complete requests whose response was awaited without closing our side. */
  whole: number;
  answered: number;
  closed: number;
  /** Successful forms: proof that requests get past authentication. */
  formsTaken: number;
  statuses: Record<string, number>;
  /** A message for each. */
  faults: string[];
};

export type Volley = {
  count: number;
  seed: number;
  /** Connections that are not finished by then never end. */
  hangMs?: number;
  onProgress?: (done: number) => void;
};

const IN_PARALLEL = 32;
/** How long the server may wait for the rest of an incomplete request before we close our side. */
const QUIET_MS = 30;
const HANG_MS = 10_000;

/** What was sent, as text; `whole` for a complete request that must get a response. */
type Shot = HostileRequest & { sent: string; whole: WholeRequest | undefined };
type Outcome = { received: string; isHung: boolean; isReset: boolean };

export async function shoot(
  target: Target,
  options: HostileOptions,
  { count, seed, hangMs = HANG_MS, onProgress = () => {} }: Volley,
): Promise<ShotCounts> {
  const counts: ShotCounts = {
    requests: 0,
    whole: 0,
    answered: 0,
    closed: 0,
    formsTaken: 0,
    statuses: {},
    faults: [],
  };
  const requests = generate(options, count, seed);
  const worker = async () => {
    for (let next = requests.next(); !next.done; next = requests.next()) {
      const shot = aim(next.value);
      tally(shot, await send(target, shot, hangMs), counts);
      if (counts.requests % 10_000 === 0) onProgress(counts.requests);
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, worker));
  return counts;
}

/** A client that closes its side before the response does not have to get one. */
function aim(request: HostileRequest): Shot {
  const sent = Buffer.concat(request.pieces).toString('latin1');
  return { ...request, sent, whole: request.endsItself ? undefined : readWholeRequest(sent) };
}

/** In batches, because fast-check generates a whole sample before it returns it. */
function* generate(options: HostileOptions, count: number, seed: number): Generator<HostileRequest> {
  const size = 500;
  for (let made = 0; made < count; made += size) {
    yield* fc.sample(anyHostileRequest(options), {
      numRuns: Math.min(size, count - made),
      seed: seed + made,
    });
  }
}

function tally(shot: Shot, outcome: Outcome, counts: ShotCounts): void {
  const { received } = outcome;
  counts.requests += 1;
  counts.whole += Number(shot.whole !== undefined);
  counts[received === '' ? 'closed' : 'answered'] += 1;
  const answers = splitAnswers(received) ?? [];
  for (const { status } of answers) counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
  counts.formsTaken += Number(shot.whole?.method === 'POST' && answers.some(isFormTaken));
  const fault = faultOf(shot, outcome, answers);
  if (fault === undefined) return;
  const [sent, got] = [shot.sent.slice(0, 300), received.slice(0, 200)].map((text) => JSON.stringify(text));
  counts.faults.push(`the answer ${fault}: ${sent} gave ${got}`);
}

function faultOf({ sent, whole }: Shot, outcome: Outcome, answers: readonly RawAnswer[]): string | undefined {
  const { received, isHung, isReset } = outcome;
  if (isHung) return 'never ends';
  if (isReset && received === '') return 'is a reset without a word';
  const given = answers.filter(({ status }) => status >= 200).length;
  if (whole && given !== 1) return given === 0 ? 'is missing' : `is ${given} answers to one request`;
  // The first response belongs to the first line; one with rate limit headers is always from the API.
  const isForApi = /^[^ \r\n]* \/v7/.test(sent);
  const isApi = (answer: RawAnswer) => answer.headers.has('ratelimit') && !LISTFORGE_TEXT.test(answer.body);
  return faultIn(received, (answer, index) => (isForApi && index === 0) || isApi(answer));
}

/** Responses of the ListForge protocol, which are not JSON. */
const LISTFORGE_TEXT = /^(?:[012]|Error: server key not found)$/;

function isFormTaken({ status, headers }: RawAnswer): boolean {
  return status === 303 && !headers.get('location')?.startsWith('/sign-in');
}

/** The response to a complete request is awaited before our side is closed; otherwise it is closed immediately. */
function send({ port, isTls }: Target, shot: Shot, hangMs: number): Promise<Outcome> {
  const { pieces, endsItself, whole } = shot;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let received = '';
  let isReset = false;
  const socket: Socket = isTls
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const hang = setTimeout(() => {
    resolve({ received, isHung: true, isReset });
    socket.destroy();
  }, hangMs);
  const sayNoMore = () => void (socket.writable && socket.end());
  let quiet: NodeJS.Timeout | undefined;
  const listenOn = () => {
    clearTimeout(quiet);
    quiet = setTimeout(sayNoMore, QUIET_MS);
  };
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    if (!whole) listenOn();
    else if (isWholeAnswer(received, whole.method)) sayNoMore();
  });
  socket.on('error', (error) => {
    isReset ||= 'code' in error && error.code === 'ECONNRESET';
  });
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    clearTimeout(hang);
    clearTimeout(quiet);
    resolve({ received, isHung: false, isReset });
  });
  socket.once(isTls ? 'secureConnect' : 'connect', () => {
    void writePieces(socket, pieces).then(() => {
      if (endsItself) sayNoMore();
      else if (!whole) listenOn();
    });
  });
  return promise;
}

/** Each chunk arrives separately: the server must not need a request in one piece. */
async function writePieces(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (!socket.writable) return;
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  }
}
