import fastifyPlugin from 'fastify-plugin';
import { ApiError } from '../domain/errors.ts';
import { isProbe } from './health.ts';

/**
 * For a server that speaks plain HTTP to proxies named in Fastify's `trustProxy`: refuses a request that did
 * not reach a trusted proxy over HTTPS. Fastify gives `request.protocol` from X-Forwarded-Proto only when the
 * peer itself is trusted, and from the last entry, which that peer wrote; any other peer is plain `http`.
 */
export const requireHttpsProxy = fastifyPlugin((app, _options, done) => {
  app.addHook('onRequest', (request, _reply, next) => {
    // The types know two protocols; a header can hold any text, in any case.
    const protocol: string = request.protocol;
    if (protocol?.toLowerCase() === 'https' || isProbe(request)) next();
    else next(new ApiError('HTTPS_REQUIRED'));
  });
  done();
});
