/**
 * Sends one vote to a Votifier v2 server, with the same limits on address and duration as a POST. Never rejects; errors
 * are part of the result, and an accepted vote has neither a status nor an error.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ReachRule } from '../domain/webhooks/destination.ts';
import { DeliveryError, failureOf } from '../domain/webhooks/failure.ts';
import {
  encodeVote,
  parseGreeting,
  parseReply,
  parseVotifierAddress,
  type VotifierVote,
  votifierAddress,
} from '../domain/webhooks/votifier.ts';
import { type Resolve, reachableLookup, resolveReachable } from './resolve.ts';
import type { SendDeps, SendResult } from './send.ts';

/** A greeting has about 40 bytes and a reply about 100; a server that sends more does not speak Votifier. */
const MAX_BYTES = 256;

type OutgoingVote = {
  /** votifier://host:port */
  url: string;
  token: string;
  vote: VotifierVote;
  /**
   * Called before the vote is written. From then on a lost response is `ANSWER_LOST`, because the vote may have been
   * counted. If it returns false, nothing is written.
   */
  beforeWrite(): Promise<boolean>;
};

export type SendVote = (message: OutgoingVote, stop?: AbortSignal) => Promise<SendResult>;

export function createSendVote(deps: SendDeps): SendVote {
  return async (message, stop) => {
    const timeout = AbortSignal.timeout(deps.timeoutMs);
    const signal = stop ? AbortSignal.any([timeout, stop]) : timeout;
    const exchange = new Exchange(message, deps, signal);
    try {
      return result(...(await exchange.run()));
    } catch (error) {
      if (exchange.isWritten) return result('ANSWER_LOST', exchange.received);
      if (!timeout.aborted) return result(failureOf(error));
      return result(exchange.isConnected ? 'VOTIFIER_SILENT' : 'CONNECTION_TIMEOUT');
    } finally {
      exchange.close();
    }
  };
}

function result(error: SendResult['error'], answer = ''): SendResult {
  return { status: null, answer: answer.replaceAll('\0', '').trim(), error, retryAfter: undefined };
}

/** One connection: greeting, vote, reply. */
class Exchange {
  readonly #message: OutgoingVote;
  readonly #deps: { rule: ReachRule; resolve: Resolve };
  readonly #signal: AbortSignal;
  #socket: Socket | undefined;
  isConnected = false;
  isWritten = false;
  /** What was received since the last complete message. */
  received = '';

  constructor(message: OutgoingVote, deps: SendDeps, signal: AbortSignal) {
    this.#message = message;
    this.#deps = deps;
    this.#signal = signal;
  }

  /** The error, or null if the vote was accepted, and the text of the reply. */
  async run(): Promise<[SendResult['error'], string]> {
    const { token, vote, beforeWrite } = this.#message;
    const socket = await this.#connect();
    const line = await this.#receive((text) => (text.includes('\n') ? text : undefined));
    const greeting = parseGreeting(line.split('\n')[0] ?? '');
    if ('failure' in greeting) throw new DeliveryError(greeting.failure);
    const frame = encodeVote(vote, greeting.challenge, token);
    if (!(await beforeWrite())) throw new DeliveryError('CONNECTION_CLOSED');
    // The server may have closed the connection in the meantime: then nothing was sent, and the vote can be retried.
    this.#signal.throwIfAborted();
    if (!socket.writable) throw new DeliveryError('CONNECTION_CLOSED');
    this.received = '';
    this.isWritten = true;
    socket.write(frame);
    const error = await this.#receive(parseReply);
    return [error, this.received];
  }

  close(): void {
    this.#socket?.destroy();
  }

  /** The address is checked again at every attempt, and the socket connects to what was checked. */
  async #connect(): Promise<Socket> {
    const { rule, resolve } = this.#deps;
    const checked = parseVotifierAddress(votifierAddress(this.#message.url), rule);
    if (!checked.ok) {
      throw new DeliveryError(checked.fault === 'forbidden-port' ? 'FORBIDDEN_PORT' : 'PRIVATE_ADDRESS');
    }
    const { hostname, port } = new URL(checked.url);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const addresses = await resolveReachable(host, resolve, rule, this.#signal);
    this.#signal.throwIfAborted();
    const socket = connect({
      host,
      port: Number(port),
      lookup: reachableLookup(async () => addresses, rule),
    });
    this.#socket = socket;
    // Stays attached: an unhandled error would end the process.
    socket.on('error', () => {});
    await once(socket, 'connect', { signal: this.#signal });
    this.isConnected = true;
    return socket;
  }

  /** Reads until `parse` returns a value. Throws when the connection ends or the text is too long before that. */
  async #receive<T>(parse: (text: string) => T | undefined): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const socket = this.#socket;
    const read = (chunk: Buffer) => {
      this.received = (this.received + chunk.toString('latin1')).slice(0, MAX_BYTES);
      const value = parse(this.received);
      if (value !== undefined) resolve(value);
      else if (this.received.length === MAX_BYTES) reject(new DeliveryError('NOT_VOTIFIER'));
    };
    const end = () => reject(new DeliveryError(this.received === '' ? 'CONNECTION_CLOSED' : 'NOT_VOTIFIER'));
    const abort = () => reject(this.#signal.reason);
    socket?.on('data', read).once('error', reject).once('close', end).once('end', end);
    this.#signal.addEventListener('abort', abort, { once: true });
    try {
      this.#signal.throwIfAborted();
      return await promise;
    } finally {
      socket?.off('data', read).off('error', reject).off('close', end).off('end', end);
      this.#signal.removeEventListener('abort', abort);
    }
  }
}
