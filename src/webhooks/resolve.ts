import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { mayReachAddress, type ReachRule } from '../domain/webhooks/destination.ts';
import { DeliveryError } from './failures.ts';

/**
 * Resolves a host name to all its addresses, within its own time limit or until `signal` is aborted.
 * Injected, so tests can use a resolver that lies or hangs.
 */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<LookupAddress[]>;

/** The addresses of a host. Throws if any of them is not allowed. */
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
 * Resolves for a socket, which connects to the addresses checked here. Resolving only once prevents DNS
 * rebinding.
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
 * Gives early feedback to the person who enters a URL. A name that does not resolve yet is accepted, because
 * it is checked again at every attempt.
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
