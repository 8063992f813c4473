/** Clients that never finish their headers, each on its own TLS connection. */
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';

export type SlowClients = {
  /** Connections that are currently in the middle of their headers. */
  countOpen(): number;
  /** The number of connections that the server closed and another one replaced. */
  countRenewed(): number;
  close(): void;
};

const DRIP_MS = 1000;
/** This many handshakes at a time: slow headers should occupy the server, not handshakes. */
const OPENING_AT_ONCE = 20;
const PATIENCE_MS = 60_000;

/** Resolves when this many are connected. */
export async function openSlowClients(port: number, count: number): Promise<SlowClients> {
  const dripping = new Map<TLSSocket, NodeJS.Timeout>();
  let renewed = 0;
  let isOver = false;

  /** One client for the whole trial: when its connection is closed, it opens the next one. */
  const open = async (): Promise<void> => {
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {}).resume();
    socket.once('secureConnect', () => {
      socket.write('GET /v7/vote-check HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
      dripping.set(
        socket,
        setInterval(() => socket.writable && socket.write('x'), DRIP_MS),
      );
      resolve();
    });
    socket.once('close', () => {
      clearInterval(dripping.get(socket));
      dripping.delete(socket);
      resolve();
      if (isOver) return;
      renewed += 1;
      void open();
    });
    await connected;
  };

  for (let opened = 0; opened < count; opened += OPENING_AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(OPENING_AT_ONCE, count - opened) }, open));
  }
  for (const start = performance.now(); dripping.size < count; await pause(10)) {
    if (performance.now() - start > PATIENCE_MS) throw new Error(`only ${dripping.size} are connected`);
  }
  return {
    countOpen: () => dripping.size,
    countRenewed: () => renewed,
    close: () => {
      isOver = true;
      for (const socket of dripping.keys()) socket.destroy();
    },
  };
}
