import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { mayReachAddress, type ReachRule } from '../domain/webhooks/url.ts';

/**
 * All addresses of a host name, within a time limit of its own, or until `signal` is aborted. Injected, so that a test
 * can be a resolver that lies or hangs.
 */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<LookupAddress[]>;

const FORBIDDEN = {
  'private-address': 'the address is in a private or reserved network',
  'forbidden-port': 'webhooks use port 443 or a port above 1023',
} as const;

/** An address, or what a name leads to, is one that nothing is sent to. */
export class ForbiddenAddressError extends Error {
  constructor(reason: keyof typeof FORBIDDEN = 'private-address') {
    super(FORBIDDEN[reason]);
    this.name = 'ForbiddenAddressError';
  }
}

/** The addresses of a host, every one of which may be reached: one that may not is reason enough to refuse. */
export async function resolveReachable(
  host: string,
  resolve: Resolve,
  rule: ReachRule,
  signal?: AbortSignal,
): Promise<LookupAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host, signal) : [{ address: host, family }];
  if (addresses.some(({ address }) => !mayReachAddress(address, rule))) throw new ForbiddenAddressError();
  return addresses;
}

/**
 * Resolves for a socket. The socket connects to the very addresses that were looked at here: a name that changes its
 * mind between two questions is asked only once.
 */
export function reachableLookup(resolve: Resolve, rule: ReachRule, signal?: AbortSignal): LookupFunction {
  return (host, options, callback) => {
    resolveReachable(host, resolve, rule, signal).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(new Error(`no address is known for ${host}`), '');
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/**
 * For a person who sets an address, to be told at once. A name that cannot be resolved now may be one day: it passes
 * here, and is looked at at every try.
 */
export async function leadsIntoPrivateNetwork(
  host: string,
  resolve: Resolve,
  rule: ReachRule,
): Promise<boolean> {
  try {
    await resolveReachable(host, resolve, rule);
    return false;
  } catch (error) {
    return error instanceof ForbiddenAddressError;
  }
}

const MAX_LENGTH = 200;

const REASONS = new Map([
  ['ECONNREFUSED', 'the connection was refused; is the receiver running?'],
  ['ECONNRESET', 'the connection was closed before a response arrived'],
  ['EPIPE', 'the connection was closed before a response arrived'],
  ['ENOTFOUND', 'the host name does not exist'],
  ['EAI_AGAIN', 'the host name could not be resolved'],
  ['ETIMEOUT', 'the host name could not be resolved within 2 seconds'],
  ['EHOSTUNREACH', 'the host is unreachable'],
  ['ENETUNREACH', 'the network is unreachable'],
  ['ETIMEDOUT', 'the host did not respond'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate is self-signed'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host name'],
]);

/** Why no answer came, in words for the person who reads the delivery log. */
export function explainFailure(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return error.message;
  const cause = firstOf(error);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = cause instanceof Error ? cause.message : String(cause);
  return (REASONS.get(code) ?? message).slice(0, MAX_LENGTH);
}

/** When several addresses of a name were tried, each failed. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}
