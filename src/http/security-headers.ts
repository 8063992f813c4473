import fastifyPlugin from 'fastify-plugin';

export const STRICT_TRANSPORT_SECURITY = 'strict-transport-security';

/** One year, for this host name only: other names of the domain are the operator's to decide (docs/operating.md). */
export const DEFAULT_HSTS = 'max-age=31536000';

/**
 * Sent with every answer of the service, whatever it is. Registered before anything that can refuse a request; set when
 * the request comes in, because a hook that runs when answers are sent costs every vote check more.
 */
export const securityHeaders = fastifyPlugin<{ hsts: string | null }>((app, { hsts }, done) => {
  app.addHook('onRequest', (_request, reply, next) => {
    if (hsts !== null) reply.header(STRICT_TRANSPORT_SECURITY, hsts);
    reply.header('x-content-type-options', 'nosniff');
    next();
  });
  done();
});
