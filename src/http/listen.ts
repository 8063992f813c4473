import { lookup } from 'node:dns/promises';
import { systemCode, systemReason } from '../secrets/master-secret.ts';

/** The service cannot listen on the configured address. The message is one line that names the variable to change. */
export class ListenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ListenError';
  }
}

export type ListenTarget = { host: string; port: number };

/** The part of a Fastify instance that is needed. */
type Listener = { listen(target: ListenTarget & { listenTextResolver: () => string }): Promise<unknown> };

/** Fastify would log a line with the wrong protocol, because it did not create the server. */
const listenTextResolver = (): string => 'accepting connections';

export async function listen(app: Listener, { host, port }: ListenTarget): Promise<void> {
  try {
    // Resolved here: for the name "localhost" Fastify would open a second server, without our HTTPS gate and graceful
    // stop.
    const { address } = await lookup(host, { order: 'ipv4first' });
    await app.listen({ host: address, port, listenTextResolver });
  } catch (error) {
    throw toListenError(error, { host, port }, 'VOTARY_PORT');
  }
}

export function toListenError(
  error: unknown,
  { host, port }: ListenTarget,
  portVariable: string,
  hostVariable = 'VOTARY_HOST',
): unknown {
  switch (systemCode(error)) {
    case 'EADDRINUSE':
      return new ListenError(
        `${portVariable} ${port} is in use on ${host}: stop the program that listens there, or set another port`,
      );
    case 'EACCES':
      return new ListenError(
        `${portVariable} ${port} may not be opened by this user: set a port above 1023, or allow it to the process`,
      );
    case 'EADDRNOTAVAIL':
      return new ListenError(
        `${hostVariable} ${host} is not an address of this machine: set one that is, 127.0.0.1 for this machine only, or 0.0.0.0 for all`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ListenError(
        `${hostVariable} ${host} is a name that leads to no address: ${systemReason(error)}`,
      );
    default:
      return error;
  }
}
