/**
 * One kept connection of the load generator: the next request is sent when the response to the last one is complete.
 * Requests are prepared bytes, and of a response only its status and length are read, so that the generator uses a
 * fraction of the CPU time that a server needs.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Called when the response is complete, or with `failed` when the connection ended without one. */
export type OnResponse = (status: 'ok' | 'refused' | 'failed') => void;

const HEAD_END = '\r\n\r\n';
const MAX_HEAD_BYTES = 8192;

/** Node fills it and calls the reader before it reads again, so all connections can share it. */
const received = Buffer.alloc(65_536);

export class Connection {
  readonly #socket: Socket;
  #onResponse: OnResponse | undefined;
  #isOpen = true;
  /** The start of a head that has not arrived completely. */
  #head = '';
  #status: 'ok' | 'refused' = 'ok';
  #bytesLeft = 0;

  static open(url: string): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const connection = new Connection(new URL(url), () => resolve(connection));
    connection.#socket.once('error', reject);
    return promise;
  }

  private constructor({ protocol, hostname, port }: URL, onOpen: () => void) {
    const onread = { buffer: received, callback: (bytes: number) => this.#read(bytes) };
    const options = {
      ...{ host: hostname, port: Number(port), noDelay: true, onread },
      rejectUnauthorized: false,
    };
    this.#socket = protocol === 'https:' ? connectTls(options, onOpen) : connect(options, onOpen);
    this.#socket.once('error', () => this.#end()).once('close', () => this.#end());
  }

  /** False when the server has closed the connection, for example after its keep-alive time. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(request: Uint8Array, onResponse: OnResponse): void {
    this.#onResponse = onResponse;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
    this.#end();
  }

  #read(bytes: number): boolean {
    if (this.#bytesLeft > 0) {
      this.#bytesLeft -= bytes;
    } else {
      this.#head += received.toString('latin1', 0, bytes);
      const end = this.#head.indexOf(HEAD_END);
      if (end === -1) {
        if (this.#head.length > MAX_HEAD_BYTES) this.close();
        return true;
      }
      this.#status = this.#head.startsWith('200', 'HTTP/1.1 '.length) ? 'ok' : 'refused';
      const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1];
      // A response in chunks cannot be told from one without a body.
      if (length === undefined) {
        this.close();
        return true;
      }
      // The end of the connection may arrive after the next request was sent.
      if (/\r\nconnection: *close/i.test(this.#head)) this.#isOpen = false;
      this.#bytesLeft = end + HEAD_END.length + Number(length) - this.#head.length;
      this.#head = '';
    }
    if (this.#bytesLeft === 0) this.#finish(this.#status);
    return true;
  }

  #finish(status: 'ok' | 'refused' | 'failed'): void {
    const onResponse = this.#onResponse;
    this.#onResponse = undefined;
    onResponse?.(status);
  }

  #end(): void {
    this.#isOpen = false;
    this.#finish('failed');
  }
}
