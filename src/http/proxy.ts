import { BlockList, isIP, isIPv6 } from 'node:net';
import fastifyPlugin from 'fastify-plugin';
import { ApiError } from '../domain/errors.ts';
import { isProbe } from '../observability/health.ts';
import { STRICT_TRANSPORT_SECURITY } from './https-gate.ts';

/**
 * For plain HTTP behind the proxies in Fastify's `trustProxy`: rejects requests that did not reach a trusted proxy
 * over HTTPS. Fastify derives `request.protocol` from X-Forwarded-Proto only for trusted peers, and from the last
 * entry, which that peer wrote; any other peer is plain `http`.
 */
export const requireHttpsProxy = fastifyPlugin((app, _options, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    // The types know two protocols, but the header can contain any text.
    const protocol: string = request.protocol;
    if (protocol?.toLowerCase() === 'https' || isProbe(request)) return next();
    // RFC 6797 forbids the header in responses over plain HTTP.
    reply.removeHeader(STRICT_TRANSPORT_SECURITY);
    next(new ApiError('HTTPS_REQUIRED'));
  });
  done();
});

/**
 * For Fastify's `trustProxy`: whether an address is in one of the networks. Fastify itself fails on `0.0.0.0/0`,
 * which is valid where only proxies can reach the port.
 */
export function trustNetworks(networks: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(prefix), familyOf(address));
  }
  // X-Forwarded-For can contain any text, and a closed socket has no address.
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, familyOf(address));
  return memoize(isTrusted);
}

/** Three addresses are checked per request, and there are few proxies. */
const MAX_REMEMBERED = 1000;

function memoize(isTrusted: (address: string) => boolean): (address: string) => boolean {
  const known = new Map<string, boolean>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const answer = isTrusted(address);
    known.set(address, answer);
    return answer;
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
