import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { callerNetwork } from '../../domain/address.ts';
import type { ReportLimit } from './limits.ts';

/** The event with which a server emits a connection that speaks HTTP: the second once TLS is established. */
export type ConnectionEvent = 'connection' | 'secureConnection';

export type UnreadOutputOptions = {
  event: ConnectionEvent;
  /** How long a client may leave output unread without taking a single byte of it. */
  limitMs: number;
  report: ReportLimit;
};

/** How much output was unsent, and at how many checks in a row it had not changed. */
type Backlog = { sent: number; queued: number; unchanged: number };

const CHECKS_PER_LIMIT = 6;

/**
 * Closes connections whose client has stopped reading. Only output that waits in the socket counts: a request that
 * is still being handled, and a connection that is idle between requests, have none and are left alone. Call it
 * before the server listens.
 */
export function closeUnreadOutput(server: Server, options: UnreadOutputOptions): void {
  const { event, limitMs, report } = options;
  const open = new Set<Socket>();
  const backlogs = new WeakMap<Socket, Backlog>();
  server.on(event, (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });

  const check = (): void => {
    for (const socket of open) {
      const before = backlogs.get(socket);
      if (socket.writableLength === 0) {
        if (before) backlogs.delete(socket);
        continue;
      }
      const { sent, queued } = measure(socket);
      if (before?.sent !== sent || before.queued !== queued) {
        backlogs.set(socket, { sent, queued, unchanged: 0 });
      } else if (++before.unchanged === CHECKS_PER_LIMIT) close(socket);
    }
  };
  const close = (socket: Socket): void => {
    report('unread_output', socket.remoteAddress && callerNetwork(socket.remoteAddress));
    socket.destroy();
  };
  server.once('listening', () => {
    const timer = setInterval(check, limitMs / CHECKS_PER_LIMIT).unref();
    server.once('close', () => clearInterval(timer));
  });
}

/** A long write counts as sent when all of it is; what the system has taken of it so far shows in the handle's queue. */
function measure(socket: Socket): { sent: number; queued: number } {
  const handle: unknown = Reflect.get(socket, '_handle');
  const queued = Object(handle).writeQueueSize ?? 0;
  return { sent: socket.bytesWritten - socket.writableLength, queued };
}
