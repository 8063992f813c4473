/** The addresses of a receiver: resolved once, and checked before a connection is made to them. */
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile, stat } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import { SECOND_MS } from '../domain/clock.ts';
import { mayReachAddress, type ReachRule } from '../domain/webhooks/destination.ts';
import { DeliveryError } from '../domain/webhooks/failure.ts';

/**
 * Resolves a host name to all its addresses, within its own time limit or until `signal` is aborted.
 * Injected, so tests can use a resolver that lies or hangs.
 */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<LookupAddress[]>;

/**
 * The addresses of a host to connect to. If some are not allowed, only those in networks that the operator permits
 * (`localhost` is 127.0.0.1 and ::1, of which one may be permitted). Throws if there are none.
 */
export async function resolveReachable(
  host: string,
  resolve: Resolve,
  rule: ReachRule,
  signal?: AbortSignal,
): Promise<LookupAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host, signal) : [{ address: host, family }];
  if (addresses.every(({ address }) => mayReachAddress(address, rule))) return addresses;
  const permitted = addresses.filter(({ address }) =>
    mayReachAddress(address, { ...rule, onlyAllowed: true }),
  );
  if (permitted.length === 0) throw new DeliveryError('PRIVATE_ADDRESS');
  return permitted;
}

/** The addresses of a host that are not allowed; none if the name does not resolve. */
export async function refusedAddresses(host: string, resolve: Resolve, rule: ReachRule): Promise<string[]> {
  const family = isIP(host);
  const found = family === 0 ? await resolve(host).catch(() => []) : [{ address: host, family }];
  return found.map(({ address }) => address).filter((address) => !mayReachAddress(address, rule));
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
export async function resolvesToPrivateNetwork(
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

const RESOLVE_TIMEOUT_MS = 2 * SECOND_MS;

const LOCALHOST: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export type ResolverOptions = {
  /** Name servers as `address:port`; defaults to those of the system. */
  servers?: readonly string[];
  hostsFile?: string;
  /** For the whole resolution, regardless of the number of name servers. */
  timeoutMs?: number;
};

/**
 * Resolves like the system: `localhost`, then the hosts file, then name servers with c-ares (`dns.Resolver`), which runs
 * on the event loop. `dns.lookup` occupies one of libuv's four threads until the name server responds, and sign-in, file
 * access and new database connections need these threads, so a slow name could block all of them.
 */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const hosts = new HostsFile(options.hostsFile ?? '/etc/hosts');
  return async (host, signal) => {
    const name = host.replace(/\.$/, '').toLowerCase();
    if (name === 'localhost') return [...LOCALHOST];
    const listed = await hosts.find(name);
    return listed.length > 0 ? listed : queryNameServers(name, options, signal);
  };
}

async function queryNameServers(
  name: string,
  { servers, timeoutMs = RESOLVE_TIMEOUT_MS }: ResolverOptions,
  signal: AbortSignal | undefined,
): Promise<LookupAddress[]> {
  signal?.throwIfAborted();
  // One resolver per name: `cancel` ends all queries of a resolver.
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  // c-ares applies its timeout per server and checks it only once a second.
  const limit = setTimeout(cancel, timeoutMs);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [...toAddresses(v4, 4), ...toAddresses(v6, 6)];
    if (addresses.length === 0) throw explain(name, [v4, v6]);
    return addresses;
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', cancel);
  }
}

function toAddresses(answer: PromiseSettledResult<string[]>, family: number): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

const UNKNOWN = ['ENOTFOUND', 'ENODATA'];
const TIMED_OUT = ['ETIMEOUT', 'ECANCELLED'];

/** Our own codes: c-ares uses ECONNREFUSED for a name server, while sockets use it for the receiver. */
function explain(name: string, answers: readonly PromiseSettledResult<string[]>[]): Error {
  const codes = answers.map((answer) => (answer.status === 'rejected' ? String(answer.reason.code) : ''));
  const isAny = (known: readonly string[]) => codes.some((code) => known.includes(code));
  const code = codes.every((one) => UNKNOWN.includes(one))
    ? 'ENOTFOUND'
    : isAny(TIMED_OUT)
      ? 'ETIMEOUT'
      : 'EAI_AGAIN';
  return Object.assign(new Error(`${name}: ${codes.join(', ')}`), { code });
}

/** The entries of the hosts file. Read again when the file has changed. */
class HostsFile {
  readonly #path: string;
  #modifiedMs = 0;
  #addresses = new Map<string, LookupAddress[]>();

  constructor(path: string) {
    this.#path = path;
  }

  async find(name: string): Promise<LookupAddress[]> {
    try {
      const { mtimeMs } = await stat(this.#path);
      if (mtimeMs !== this.#modifiedMs) {
        this.#addresses = parseHosts(await readFile(this.#path, 'utf8'));
        this.#modifiedMs = mtimeMs;
      }
    } catch {
      // The system has no hosts file.
      return [];
    }
    return this.#addresses.get(name) ?? [];
  }
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const addresses = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((one) => one.toLowerCase())) {
      addresses.set(name, [...(addresses.get(name) ?? []), { address, family }]);
    }
  }
  return addresses;
}
