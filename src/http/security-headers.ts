import fastifyPlugin from 'fastify-plugin';

export const STRICT_TRANSPORT_SECURITY = 'strict-transport-security';

/** One year, for this host name only; see docs/operating.md for subdomains. */
export const DEFAULT_HSTS = 'max-age=31536000';

/** `isDraining`: the service is about to stop, and asks clients to close their connections. */
export type Drain = { isDraining: boolean };

type SecurityHeaders = { hsts: string | null; drain: Drain };

/**
 * Sets headers on every response. Registered before anything that can reject a request, and set when the request
 * arrives, because a hook on sending is more expensive.
 */
export const securityHeaders = fastifyPlugin<SecurityHeaders>((app, { hsts, drain }, done) => {
  app.addHook('onRequest', (_request, reply, next) => {
    if (hsts !== null) reply.header(STRICT_TRANSPORT_SECURITY, hsts);
    reply.header('x-content-type-options', 'nosniff');
    if (drain.isDraining) reply.header('connection', 'close');
    next();
  });
  done();
});
