import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { mayReachAddress, type ReachRule } from '../domain/webhooks/url.ts';
import { DeliveryError } from './failures.ts';

/**
 * All addresses of a host name, within a time limit of its own, or until `signal` is aborted. Injected, so that a test
 * can be a resolver that lies or hangs.
 */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<LookupAddress[]>;

/** The addresses of a host, every one of which may be reached: one that may not is reason enough to refuse. */
export async function resolveReachable(
  host: string,
  resolve: Resolve,
  rule: ReachRule,
  signal?: AbortSignal,
): Promise<LookupAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host, signal) : [{ address: host, family }];
  if (addresses.some(({ address }) => !mayReachAddress(address, rule)))
    throw new DeliveryError('PRIVATE_ADDRESS');
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
    return error instanceof DeliveryError;
  }
}
