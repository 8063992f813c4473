/** The paths of health probes, which are handled in observability/health.ts. */
import type { FastifyRequest } from 'fastify';

export const ALIVE_ROUTE = '/healthz';
export const READY_ROUTE = '/readyz';

/** Whether the request is a health probe, which carries and reveals no secrets. */
export function isProbe(request: FastifyRequest): boolean {
  const { url } = request.routeOptions;
  return url === ALIVE_ROUTE || url === READY_ROUTE;
}

/** The same for a URL as it was sent. Reading the route is more expensive, because Fastify builds its description on every access. */
export function isProbeUrl(url: string): boolean {
  return url === ALIVE_ROUTE || url === READY_ROUTE;
}
