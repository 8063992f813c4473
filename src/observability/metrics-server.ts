import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isLoopbackHost } from '../domain/address.ts';
import { type ListenTarget, toListenError } from '../http/listen.ts';
import type { Metrics } from './metrics.ts';

/** What is served: the metrics of this process, or those of its workers. */
type Exported = Pick<Metrics, 'text' | 'contentType'>;

const FORBIDDEN_STATUS = 403;
const NOT_FOUND_STATUS = 404;

export type MetricsServer = { readonly port: number; close(): Promise<void> };

/** Serves `GET /metrics` on a separate port, without TLS. */
export async function startMetricsServer(
  metrics: Exported,
  { host, port }: ListenTarget,
): Promise<MetricsServer> {
  const isLocal = isLoopbackHost(host);
  const server = createServer((request, response) => {
    if (isLocal && !isLoopbackRequest(request)) refuse(response);
    else void answer(metrics, request, response);
  });
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw toListenError(error, { host, port }, 'VOTARY_METRICS_PORT', 'VOTARY_METRICS_HOST');
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      // A scrape can be repeated, so open ones are cut.
      server.closeAllConnections();
      await closed;
    },
  };
}

function refuse(response: ServerResponse): void {
  const text = 'The metrics are only served under localhost, 127.0.0.1 or [::1].\n';
  response.writeHead(FORBIDDEN_STATUS, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
}

async function answer(metrics: Exported, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
    response.writeHead(NOT_FOUND_STATUS).end();
    return;
  }
  try {
    const text = await metrics.text();
    response.setHeader('Content-Type', metrics.contentType).end(text);
  } catch (error) {
    response.destroy(error instanceof Error ? error : undefined);
  }
}

/** A page of another site can reach this port through a name that resolves to 127.0.0.1 (DNS rebinding). */
function isLoopbackRequest({ headers }: IncomingMessage): boolean {
  const [, host] = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/.exec(headers.host ?? '') ?? [];
  return host !== undefined && isLoopbackHost(host);
}
