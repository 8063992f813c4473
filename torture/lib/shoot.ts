/**
 * Sends hostile requests over real sockets, and tells of every connection that was not answered or closed as it
 * should be.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { anyHostileRequest, type HostileOptions, type HostileRequest } from './hostile.ts';
import { faultIn, type RawAnswer, splitAnswers } from './judge-answer.ts';

export type Target = { port: number; isTls: boolean };

export type ShotCounts = {
  requests: number;
  answered: number;
  closed: number;
  statuses: Record<string, number>;
  faults: string[];
};

const IN_PARALLEL = 32;
/** What the server may take to say what it has to say, once it has everything. */
const QUIET_MS = 30;
/** A connection that is still open so long after we closed our side is a hang. */
const HANG_MS = 10_000;

type Outcome = { received: string; isHung: boolean; isReset: boolean };

export async function shoot(
  target: Target,
  options: HostileOptions,
  {
    count,
    seed,
    onProgress = () => {},
  }: { count: number; seed: number; onProgress?: (done: number) => void },
): Promise<ShotCounts> {
  const counts: ShotCounts = { requests: 0, answered: 0, closed: 0, statuses: {}, faults: [] };
  const shots = fc.stream(generate(options, count, seed));
  const next = shots[Symbol.iterator]();
  const worker = async () => {
    for (let shot = next.next(); !shot.done; shot = next.next()) {
      judge(shot.value, await send(target, shot.value), counts);
      if (counts.requests % 10_000 === 0) onProgress(counts.requests);
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, worker));
  return counts;
}

/** In pieces, because fast-check makes a whole sample before it hands it out. */
function* generate(options: HostileOptions, count: number, seed: number): Generator<HostileRequest> {
  const size = 500;
  for (let made = 0; made < count; made += size) {
    yield* fc.sample(anyHostileRequest(options), {
      numRuns: Math.min(size, count - made),
      seed: seed + made,
    });
  }
}

function judge({ pieces }: HostileRequest, { received, isHung, isReset }: Outcome, counts: ShotCounts): void {
  counts.requests += 1;
  const sent = Buffer.concat(pieces).toString('latin1');
  if (received === '') counts.closed += 1;
  else counts.answered += 1;
  for (const { status } of splitAnswers(received) ?? [])
    counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
  const isV7 = /^[A-Z]+ \/v7[/? ]/.test(sent);
  const isApi = (answer: RawAnswer) => isV7 && answer.headers.has('ratelimit');
  const fault = isHung
    ? 'never ends'
    : isReset && received === ''
      ? 'is a reset without a word'
      : faultIn(received, isApi);
  if (fault !== undefined && counts.faults.length < 20) {
    counts.faults.push(
      `the answer ${fault}: ${JSON.stringify(sent.slice(0, 300))} gave ${JSON.stringify(received.slice(0, 200))}`,
    );
  }
}

function send({ port, isTls }: Target, { pieces, endsItself }: HostileRequest): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let received = '';
  let isReset = false;
  const socket: Socket = isTls
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const hang = setTimeout(() => {
    resolve({ received, isHung: true, isReset });
    socket.destroy();
  }, HANG_MS);
  const sayNoMore = () => void (socket.writable && socket.end());
  let quiet = setTimeout(sayNoMore, HANG_MS);
  const listenOn = () => {
    clearTimeout(quiet);
    quiet = setTimeout(sayNoMore, QUIET_MS);
  };
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    listenOn();
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
    void writePieces(socket, pieces).then(() => (endsItself ? sayNoMore() : listenOn()));
  });
  return promise;
}

/** Each piece arrives alone: the server must not need a request to come in one go. */
async function writePieces(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (!socket.writable) return;
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  }
}
