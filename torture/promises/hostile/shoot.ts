/** Sends hostile requests over real sockets, and reports every connection without the expected response or close. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { CPU_LIMIT_MS, type CpuMeter, findCostly } from './cpu-cost.ts';
import { everyRun } from './every-run.ts';
import { anyHostileRequest, type HostileOptions, type HostileRequest, withoutReplaced } from './hostile.ts';
import { API_PATHS, SITE_PATHS } from './hostile-paths.ts';
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
  /** The highest CPU time of requests that were sent together. */
  peakCpuMs: number;
  /** A message for each. */
  faults: string[];
};

export type Volley = {
  count: number;
  seed: number;
  /** Of `everyRun`, whose requests are sent first. Default: they are left out. */
  stride?: number;
  /** The CPU time of the server, which must not do anything else. */
  cpu: CpuMeter;
  /** Connections that are not finished by then never end. */
  hangMs?: number;
  onProgress?: (done: number) => void;
};

const IN_PARALLEL = 16;
/**
 * For requests that are sent together. Usually they use a tenth of it, so one request of this cost fails even if it is
 * fast when it is repeated, because its result was cached.
 */
const TOGETHER_LIMIT_MS = 500;
/** How long the server may wait for the rest of an incomplete request before we close our side. */
const QUIET_MS = 30;
const HANG_MS = 10_000;

/** What was sent, as text; `whole` for a complete request that must get a response. */
type Shot = HostileRequest & { sent: string; whole: WholeRequest | undefined };
type Outcome = { received: string; isHung: boolean; isReset: boolean };

export async function shoot(target: Target, options: HostileOptions, volley: Volley): Promise<ShotCounts> {
  const { cpu, hangMs = HANG_MS, onProgress = () => {} } = volley;
  const counts: ShotCounts = {
    requests: 0,
    whole: 0,
    answered: 0,
    closed: 0,
    formsTaken: 0,
    statuses: {},
    peakCpuMs: 0,
    faults: [],
  };
  const sendTogether = async (shots: readonly Shot[]) => {
    const before = await cpu();
    const outcomes = await Promise.all(shots.map((shot) => send(target, shot, hangMs)));
    return { outcomes, cpuMs: (await cpu()) - before };
  };
  const measure = async (shots: readonly Shot[]) => (await sendTogether(shots)).cpuMs;
  // What is loaded, compiled and compressed only once is no cost of a request.
  for (const shots of warmUp(options)) await measure(shots);
  for (const shots of batches(options, volley)) {
    const { outcomes, cpuMs } = await sendTogether(shots);
    for (const [index, outcome] of outcomes.entries()) tally(shots[index], outcome, counts);
    counts.peakCpuMs = Math.max(counts.peakCpuMs, Math.round(cpuMs));
    if (cpuMs > CPU_LIMIT_MS) counts.faults.push(...(await costFaults(shots, cpuMs, measure)));
    if (counts.requests % 10_000 < IN_PARALLEL) onProgress(counts.requests);
  }
  return counts;
}

async function costFaults(
  shots: readonly Shot[],
  togetherMs: number,
  measure: (shots: readonly Shot[]) => Promise<number>,
): Promise<string[]> {
  const costly = await findCostly(shots, measure);
  if (costly.length === 0 && togetherMs > TOGETHER_LIMIT_MS)
    return [
      `${shots.length} requests used ${Math.round(togetherMs)} ms of CPU time: ${shots.map(quote).join(', ')}`,
    ];
  return costly.map(
    ({ request, cpuMs }) => `the answer took ${Math.round(cpuMs)} ms of CPU time: ${quote(request)}`,
  );
}

function quote({ sent }: Shot): string {
  return JSON.stringify(sent.slice(0, 300));
}

function* batches(options: HostileOptions, { count, seed, stride }: Volley): Generator<Shot[]> {
  let batch: Shot[] = [];
  const runs = stride === undefined ? [] : everyRun(options, stride);
  for (const requests of [runs, generate(options, count, seed)]) {
    for (const request of requests) {
      batch.push(aim(request));
      if (batch.length < IN_PARALLEL) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Every page and file in each encoding, more than once. */
function* warmUp({ usualHeaders }: HostileOptions): Generator<Shot[]> {
  for (const encoding of ['br', 'gzip', 'identity', 'br']) {
    const headers = ['accept: text/html', `accept-encoding: ${encoding}`];
    const lines = [...withoutReplaced(usualHeaders(2), headers), ...headers];
    const requests = [...API_PATHS, ...SITE_PATHS].map((path) => [`GET ${path} HTTP/1.1`, ...lines]);
    for (let start = 0; start < requests.length; start += IN_PARALLEL)
      yield requests
        .slice(start, start + IN_PARALLEL)
        .map((request) => Buffer.from(`${request.join('\r\n')}\r\n\r\n`))
        .map((bytes) => aim({ pieces: [bytes], endsItself: false }));
  }
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

function tally(shot: Shot | undefined, outcome: Outcome, counts: ShotCounts): void {
  if (shot === undefined) return;
  const { received } = outcome;
  counts.requests += 1;
  counts.whole += Number(shot.whole !== undefined);
  counts[received === '' ? 'closed' : 'answered'] += 1;
  const answers = splitAnswers(received) ?? [];
  for (const { status } of answers) counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
  counts.formsTaken += Number(shot.whole?.method === 'POST' && answers.some(isFormTaken));
  const fault = faultOf(shot, outcome, answers);
  if (fault === undefined) return;
  counts.faults.push(`the answer ${fault}: ${quote(shot)} gave ${JSON.stringify(received.slice(0, 200))}`);
}

function faultOf({ sent, whole }: Shot, outcome: Outcome, answers: readonly RawAnswer[]): string | undefined {
  const { received, isHung, isReset } = outcome;
  if (isHung) return 'never ends';
  if (isReset && received === '') return 'is a reset without a word';
  const given = answers.filter(({ status }) => status >= 200).length;
  if (whole && given !== 1) return given === 0 ? 'is missing' : `is ${given} answers to one request`;
  // The first response belongs to the first line; one with rate limit headers is always from the API.
  const isForApi = /^[^ \r\n]* \/(?:v7|manage\/v1)/.test(sent);
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
