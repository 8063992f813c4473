/**
 * Closes connections whose client reads its responses too slowly, or not at all. See
 * docs/decisions/0021-slow-readers.md.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { callerNetwork } from '../domain/address.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { isRecord } from '../domain/record.ts';
import type { ReportLimit } from './connection-limits.ts';

/** The event that a server emits for an HTTP connection: `secureConnection` once TLS is established. */
export type ConnectionEvent = 'connection' | 'secureConnection';

export type SlowReaderOptions = {
  event: ConnectionEvent;
  /** How long a client may read nothing of its pending output. */
  limitMs: number;
  report: ReportLimit;
};

/**
 * A client has to read the next 16 KiB of its pending output at this rate, and has `limitMs` in addition. A phone on a
 * bad 2G link reads a few kilobytes per second, with gaps.
 */
const MIN_BYTES_PER_SECOND = 512;
const MEASURED_BYTES = 16 * 1024;
const CHECKS_PER_LIMIT = 6;

/** The output of a connection, in bytes since it was opened. */
type Output = {
  written: number;
  /** Writes that were passed to the system completely. */
  completed: number;
  /** What the system has accepted of all writes, encrypted if the connection is. */
  accepted: number;
};

/** The client has to read up to `target`, or complete what is written so far, in this many more checks. */
type Measurement = { target: number; written: number; checksLeft: number };
type Backlog = { accepted: number; unchanged: number; measurement: Measurement };

/**
 * Only output that waits in the socket counts: a request that is still being handled, a stream without news and a
 * connection that is idle between requests have none and are left alone. Call it before the server listens.
 */
export function closeSlowReaders(server: Server, { event, limitMs, report }: SlowReaderOptions): void {
  const open = new Set<Socket>();
  const backlogs = new WeakMap<Socket, Backlog>();
  const checkMs = limitMs / CHECKS_PER_LIMIT;
  server.on(event, (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });

  const measure = ({ written, completed, accepted }: Output): Measurement => {
    const bytes = Math.min(written - completed, MEASURED_BYTES);
    const ms = limitMs + (bytes / MIN_BYTES_PER_SECOND) * SECOND_MS;
    return { target: accepted + bytes, written, checksLeft: Math.ceil(ms / checkMs) };
  };
  const close = (socket: Socket, limit: 'unread_output' | 'slow_reading'): void => {
    report(limit, socket.remoteAddress && callerNetwork(socket.remoteAddress));
    socket.destroy();
  };
  const checkBacklog = (socket: Socket): void => {
    const output = outputOf(socket);
    const { accepted } = output;
    const before = backlogs.get(socket);
    if (!before) {
      backlogs.set(socket, { accepted, unchanged: 0, measurement: measure(output) });
      return;
    }
    before.unchanged = accepted === before.accepted ? before.unchanged + 1 : 0;
    before.accepted = accepted;
    const { target, written } = before.measurement;
    if (accepted >= target || output.completed >= written) before.measurement = measure(output);
    else before.measurement.checksLeft -= 1;
    if (before.unchanged === CHECKS_PER_LIMIT) close(socket, 'unread_output');
    else if (before.measurement.checksLeft === 0) close(socket, 'slow_reading');
  };
  const check = (): void => {
    for (const socket of open) {
      if (socket.writableLength > 0) checkBacklog(socket);
      else backlogs.delete(socket);
    }
  };
  server.once('listening', () => {
    const timer = setInterval(check, checkMs).unref();
    server.once('close', () => clearInterval(timer));
  });
}

/**
 * Node counts a long write as sent only when it is complete; the handle shows its progress. That of a TLS connection
 * shows none, but the one below it does.
 */
function outputOf(socket: Socket): Output {
  const handle: unknown = Reflect.get(socket, '_handle');
  const parent: unknown = isRecord(handle) ? handle._parent : undefined;
  const counted = parent ?? handle;
  return {
    written: socket.bytesWritten,
    completed: socket.bytesWritten - socket.writableLength,
    accepted: numberIn(counted, 'bytesWritten') - numberIn(counted, 'writeQueueSize'),
  };
}

/** Node's handles are missing from its types. */
function numberIn(handle: unknown, name: string): number {
  const value = isRecord(handle) ? handle[name] : undefined;
  return typeof value === 'number' ? value : 0;
}
