/**
 * A worker thread with clients that send the next request when they have read the response to the last. They need a
 * thread of their own: in the thread of the server, a client never sends before the server has noticed what it sent.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parentPort, Worker, workerData } from 'node:worker_threads';

type Work = { port: number; isTls: boolean; clients: number; requests: number };

/** How many clients open a connection at the same time. */
const OPENING_AT_ONCE = 100;
const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';

/** Resolves with the number of clients that received all their responses. */
export function runSequentialClients(work: Work): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(import.meta.filename, { workerData: work });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** All clients are connected before the first of them sends a request. */
async function run({ port, isTls, clients, requests }: Work): Promise<number> {
  const sockets: Socket[] = [];
  while (sockets.length < clients) {
    const count = Math.min(OPENING_AT_ONCE, clients - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: count }, () => open(port, isTls)))));
  }
  const answered = await Promise.all(sockets.map((socket) => sendAll(socket, requests)));
  return answered.filter((count) => count === requests).length;
}

function open(port: number, isTls: boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = isTls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(socket))
      : connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Resolves with the number of responses. Each of them is small enough to arrive in one chunk. */
function sendAll(socket: Socket, requests: number): Promise<number> {
  return new Promise((resolve) => {
    let answered = 0;
    socket.once('close', () => resolve(answered));
    socket.on('data', () => {
      answered += 1;
      if (answered < requests) socket.write(REQUEST);
      else socket.destroy();
    });
    socket.write(REQUEST);
  });
}

if (parentPort) parentPort.postMessage(await run(workerData));
