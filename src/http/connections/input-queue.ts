import type { Socket } from 'node:net';

/** What was read from a socket and waits to be parsed. */
export type InputQueue = {
  /** Hands on what may be parsed now, and reads on. */
  release(): void;
};

export type InputQueueOptions = {
  /** With so many requests waiting, the socket is not read. */
  maxWaiting: number;
  /** Shared by all connections. */
  budget: InputBudget;
  /** What the next bytes are: the head of a request, its body, or input that has to wait. Asked for each piece. */
  state: () => 'head' | 'body' | 'held';
  onHold: () => void;
  onFull: () => void;
  /** Called when this queue is full and all of them together are over the budget. */
  onOverBudget: () => void;
};

/** How many bytes wait in all queues, and how many may. */
export type InputBudget = { waitingBytes: number; readonly maxBytes: number };

const BLANK_LINE = Buffer.from('\r\n\r\n');
/** A blank line in a body means nothing, and cutting at each of them would cost too much. */
const MIN_BODY_BYTES = 128;

/**
 * Stands between the socket and the stream that Node's HTTP parser reads from. The parser takes all that it is given
 * at once, up to 64 KiB, so it is given pieces that end with a blank line, as the head of a request does.
 */
export function createInputQueue(socket: Socket, options: InputQueueOptions): InputQueue {
  const { maxWaiting, budget, state, onHold, onFull, onOverBudget } = options;
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  const waiting: Buffer[] = [];
  let hasEnded = false;
  let waitingBytes = 0;
  let isFull = false;

  const account = (bytes: number): void => {
    budget.waitingBytes += bytes - waitingBytes;
    waitingBytes = bytes;
  };
  const handOn = (): boolean => {
    let isMoreWanted = true;
    for (let now = state(); waiting[0] && now !== 'held' && !socket.destroyed; now = state()) {
      const piece = takePiece(waiting, waiting[0], now === 'body' ? MIN_BODY_BYTES : 0);
      isMoreWanted = push(piece);
    }
    if (waiting.length > 0) onHold();
    else if (hasEnded) push(null);
    if (waiting.length > 0 || waitingBytes > 0) {
      account(waiting.reduce((sum, { length }) => sum + length, 0));
      const wasFull = isFull;
      isFull = waitingBytes >= socket.readableHighWaterMark || hasRequests(waiting, maxWaiting);
      if (isFull && !wasFull) onFull();
      if (isFull && budget.waitingBytes > budget.maxBytes) onOverBudget();
    }
    return isMoreWanted && !isFull;
  };

  // The parser reads past the stream, from the system itself, until somebody else listens for the data.
  socket.on('data', ignore).off('data', ignore);
  socket.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) hasEnded = true;
    else waiting.push(chunk);
    return handOn();
  };
  socket._read = (size) => {
    if (!isFull) read(size);
  };
  socket.once('close', () => account(0));
  return {
    release: () => {
      if (waiting.length === 0) return;
      handOn();
      if (!isFull) read(0);
    },
  };
}

/** Takes the first piece of at least so many bytes from what is waiting. */
function takePiece(waiting: Buffer[], chunk: Buffer, minBytes: number): Buffer {
  const end = endOfRequest(chunk, Math.max(0, minBytes - BLANK_LINE.length));
  if (end === -1 || end === chunk.length) {
    waiting.shift();
    return chunk;
  }
  waiting[0] = chunk.subarray(end);
  return chunk.subarray(0, end);
}

/** Whether there are any, and at least so many, whole requests among what is waiting. */
function hasRequests(waiting: Buffer[], count: number): boolean {
  let found = 0;
  for (const chunk of waiting) {
    for (let end = endOfRequest(chunk, 0); end !== -1 && found < count; end = endOfRequest(chunk, end))
      found += 1;
  }
  return waiting.length > 0 && found >= count;
}

/** Where the next blank line ends; -1 when there is none. */
function endOfRequest(chunk: Buffer, from: number): number {
  const at = chunk.indexOf(BLANK_LINE, from);
  return at === -1 ? -1 : at + BLANK_LINE.length;
}

function ignore(): void {}
