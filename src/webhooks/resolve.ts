import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { mayReachAddress, type ReachRule } from '../domain/webhook-url.ts';

/** All addresses of a host name. Injected, so that a test can be a resolver that lies. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

export const resolveHost: Resolve = (host) => lookup(host, { all: true });

/** A name leads somewhere that nothing is sent to. */
export class ForbiddenAddressError extends Error {
  constructor() {
    super('the address leads into a private or reserved network');
    this.name = 'ForbiddenAddressError';
  }
}

/** The addresses of a host, every one of which may be reached: one that may not is reason enough to refuse. */
export async function resolveReachable(
  host: string,
  resolve: Resolve,
  rule: ReachRule,
): Promise<LookupAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.some(({ address }) => !mayReachAddress(address, rule))) throw new ForbiddenAddressError();
  return addresses;
}

/**
 * Resolves for a socket. The socket connects to the very addresses that were looked at here: a name that changes its
 * mind between two questions is asked only once.
 */
export function reachableLookup(resolve: Resolve, rule: ReachRule): LookupFunction {
  return (host, options, callback) => {
    resolveReachable(host, resolve, rule).then(
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

const RESOLVE_PATIENCE_MS = 2000;

/**
 * For a person who sets an address, to be told at once. A name that cannot be resolved now may be one day: it passes
 * here, and is looked at at every try.
 */
export async function leadsIntoPrivateNetwork(
  host: string,
  resolve: Resolve,
  rule: ReachRule,
): Promise<boolean> {
  const looked = resolveReachable(host, resolve, rule).then(
    () => false,
    (error: unknown) => error instanceof ForbiddenAddressError,
  );
  return Promise.race([looked, pause(RESOLVE_PATIENCE_MS, false, { ref: false })]);
}
