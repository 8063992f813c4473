import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The part of an address that identifies one client: the whole IPv4 address, or the /64 of an IPv6 address, since a
 * household or server is assigned at least that many addresses.
 */
export function callerNetwork(ip: string): string {
  if (isIPv4(ip)) return ip;
  const bare = withoutPort(ip);
  if (!ipaddr.isValid(bare)) return ip;
  return ipv6Network(ip, 64) ?? ipaddr.process(bare).toString();
}

/** `weight`: how many clients of this network count as one, and how much higher its limits are. */
export type WeightedNetwork = { network: string; weight: number };

const WIDER_IPV6 = [
  { bits: 56, weight: 2 },
  { bits: 48, weight: 4 },
];

/**
 * The networks of an address, the smallest first, for limits that must not be avoided with many of them: providers
 * assign an IPv6 customer up to a /48, which has 65,536 times /64.
 */
export function callerNetworks(ip: string): [WeightedNetwork, ...WeightedNetwork[]] {
  const wider = WIDER_IPV6.flatMap(({ bits, weight }) => {
    const network = ipv6Network(ip, bits);
    return network === undefined ? [] : [{ network, weight }];
  });
  return [{ network: callerNetwork(ip), weight: 1 }, ...wider];
}

/** The network of an IPv6 address with this many bits, a multiple of 8; `undefined` for IPv4. */
function ipv6Network(ip: string, bits: number): string | undefined {
  const bare = withoutPort(ip);
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv4') return undefined;
  return `${ipaddr.fromByteArray(address.toByteArray().fill(0, bits / 8)).toString()}/${bits}`;
}

const LOGGED_BITS = { ipv4: 24, ipv6: 48 };

/**
 * The network of an address or a network, so wide that it identifies no client: the /24 of an IPv4 address, the /48 of
 * an IPv6 address. `undefined` if the text is neither.
 */
export function wideNetwork(text: string): string | undefined {
  const [bare = '', prefix] = withoutPort(text).split('/');
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  const kind = address.kind();
  const bits = Math.min(LOGGED_BITS[kind], Number(prefix ?? Infinity));
  const bytes = address.toByteArray().fill(0, bits / 8);
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

/** Some proxies write the port into X-Forwarded-For: `198.51.100.1:1234`, `[2001:db8::1]:1234`. */
function withoutPort(text: string): string {
  const match = /^\[([^\]]+)\](?::\d+)?$|^([^:]+):\d+$/.exec(text);
  return match?.[1] ?? match?.[2] ?? text;
}

/** Whether this host is the local machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost') return true;
  return isIP(name) !== 0 && ipaddr.process(name).range() === 'loopback';
}

/**
 * Whether the text is an address or a network in CIDR notation. Short and octal forms (`10/8`, `010.0.0.1`) are
 * rejected: programs disagree on their meaning, and a trusted network must be unambiguous.
 */
export function isNetwork(text: string): boolean {
  const [address = '', prefix] = text.split('/');
  return isIP(address) !== 0 && (prefix === undefined || ipaddr.isValidCIDR(text));
}

/** Whether an address is in a network that `isNetwork` accepts. An IPv4 address inside IPv6 counts as IPv4. */
export function isInNetwork(ip: string, network: string): boolean {
  const address = ipaddr.process(ip);
  const [base = '', prefix] = network.split('/');
  const first = ipaddr.parse(base);
  if (address.kind() !== first.kind()) return false;
  return address.match(first, prefix === undefined ? first.toByteArray().length * 8 : Number(prefix));
}

/** Larger networks contain clients, not only proxies. The largest of content delivery networks are about a /11 and a /28. */
const WIDEST_PROXIES = { ipv4: 8, ipv6: 16 };

/** The private addresses of IPv6 are fc00::/7: a shorter prefix, as in fd00::/0, contains public ones too. */
const UNIQUE_LOCAL_BITS = 7;

/**
 * Whether a public network that `isNetwork` accepts is too large to contain only proxies, such as 0.0.0.0/0. Clients in
 * a trusted network choose their own address, so no limit on networks would apply to them.
 */
export function isTooWideForProxies(network: string): boolean {
  const [base = '', prefix] = network.split('/');
  const first = ipaddr.parse(base);
  if (prefix === undefined) return false;
  // ::ffff:0:0/96 is the same as 0.0.0.0/0.
  const isMapped = first instanceof ipaddr.IPv6 && first.isIPv4MappedAddress() && Number(prefix) >= 96;
  const address = isMapped ? ipaddr.process(base) : first;
  const bits = isMapped ? Number(prefix) - 96 : Number(prefix);
  const isPrivate = address.range() === 'uniqueLocal' && bits >= UNIQUE_LOCAL_BITS;
  return !isPrivate && bits < WIDEST_PROXIES[address.kind()];
}
