import type { Server } from 'node:http';
import { SECOND_MS } from '../domain/clock.ts';
import type { Connections } from './connections/track.ts';

/** After `deadlineMs`, requests that still run are cut off. */
export type StopOptions = { deadlineMs?: number };

const IDLE_CHECK_MS = 50;

/** What is stopped: a Fastify instance. */
type Stoppable = { server: Pick<Server, 'closeIdleConnections'>; close(): PromiseLike<unknown> };

/**
 * Stops listening, lets requests that are under way finish, and resolves when the last connection is closed.
 * Node keeps a connection that falls idle after the stop until its keep-alive time is over, so idle ones are
 * looked for again and again.
 */
export async function closeGracefully(
  app: Stoppable,
  connections: Connections,
  { deadlineMs = 10 * SECOND_MS }: StopOptions = {},
): Promise<void> {
  const closed = app.close();
  const idleCheck = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const deadline = setTimeout(() => connections.destroyAll(), deadlineMs);
  try {
    await closed;
  } finally {
    clearInterval(idleCheck);
    clearTimeout(deadline);
  }
}
