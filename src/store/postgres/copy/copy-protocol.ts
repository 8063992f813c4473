/**
 * COPY of PostgreSQL on a connection of the driver, which knows its messages but has no function for it.
 *
 *   for await (const { bytes, rows } of copyOut(client, 'COPY (SELECT …) TO STDOUT', 1_000_000)) …
 *   await copyIn(client, 'COPY votes (…) FROM STDIN', lines);
 */
import type pg from 'pg';
import type { Lines } from '../../maintenance/copy.ts';

declare module 'pg' {
  interface Connection {
    sendCopyFromChunk(chunk: Buffer): void;
    endCopyFrom(): void;
  }
}

/** Below the size at which a message would be copied several times on its way. */
const CHUNK_BYTES = 65_536;

/** The lines are stored when this resolves. */
export function copyIn(client: pg.Client, text: string, lines: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(text, lines, resolve, reject));
  });
}

/** The driver calls these functions when a message of that name arrives. */
class CopyIn implements pg.Submittable {
  readonly #text: string;
  readonly #lines: Buffer;
  readonly handleReadyForQuery: () => void;
  readonly handleError: (error: Error) => void;

  constructor(text: string, lines: Buffer, resolve: () => void, reject: (error: Error) => void) {
    this.#text = text;
    this.#lines = lines;
    this.handleReadyForQuery = () => resolve();
    this.handleError = (error) => reject(error);
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: pg.Connection): void {
    for (let at = 0; at < this.#lines.length; at += CHUNK_BYTES)
      connection.sendCopyFromChunk(this.#lines.subarray(at, at + CHUNK_BYTES));
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {}
}

/** A reader that does not read to the end loses the connection. */
export function copyOut(client: pg.Client, text: string, blockBytes: number): AsyncIterable<Lines> {
  const query = new CopyOut(text, blockBytes);
  client.query(query);
  return query.blocks();
}

class CopyOut implements pg.Submittable {
  readonly #text: string;
  readonly #ready: Lines[] = [];
  readonly #blockBytes: number;
  #block: Buffer;
  #used = 0;
  #rows = 0;
  #isDone = false;
  #error: Error | undefined;
  #connection: pg.Connection | undefined;
  #wake = () => {};

  constructor(text: string, blockBytes: number) {
    this.#text = text;
    this.#blockBytes = blockBytes;
    this.#block = Buffer.allocUnsafe(blockBytes);
  }

  async *blocks(): AsyncGenerator<Lines> {
    try {
      while (!this.#isDone || this.#ready.length > 0) {
        const lines = this.#ready.shift();
        if (lines === undefined) await this.#arrival();
        else yield lines;
      }
      if (this.#error !== undefined) throw this.#error;
    } finally {
      // If the reader gives up, the server would wait forever, and so would the end of the connection.
      if (this.#isDone) this.#connection?.stream.resume();
      else this.#connection?.stream.destroy();
    }
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#connection?.stream.resume();
    });
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  /** One row. The driver uses the memory of the chunk again. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#used + chunk.length > this.#block.length) {
      this.#flush();
      if (chunk.length > this.#block.length) this.#block = Buffer.allocUnsafe(chunk.length);
    }
    chunk.copy(this.#block, this.#used);
    this.#used += chunk.length;
    this.#rows += 1;
  }

  handleReadyForQuery(): void {
    this.#flush();
    this.#isDone = true;
    this.#wake();
  }

  handleError(error: Error): void {
    this.#error = error;
    this.#isDone = true;
    this.#wake();
  }

  handleCommandComplete(): void {}

  #flush(): void {
    if (this.#rows === 0) return;
    this.#ready.push({ bytes: this.#block.subarray(0, this.#used), rows: this.#rows });
    this.#block = Buffer.allocUnsafe(this.#blockBytes);
    [this.#used, this.#rows] = [0, 0];
    // The server waits until the reader asks for more.
    this.#connection?.stream.pause();
    this.#wake();
  }
}
