/**
 * Where webhooks may go. Whoever sets an endpoint chooses where this machine connects to, so everything that
 * is not the public internet is refused: the machine itself, its network, and what a cloud keeps for its machines.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isLoopbackHost } from '../address.ts';

export const WEBHOOK_URL_MAX_LENGTH = 2048;

/** The machine itself is reached only in the demo, where its user is the one who sets endpoints. */
export type ReachRule = { allowsLoopback: boolean };

export type WebhookUrlFault =
  | 'not-a-url'
  | 'too-long'
  | 'not-https'
  | 'has-credentials'
  | 'private-address'
  | 'forbidden-port';

export type CheckedWebhookUrl = { ok: true; url: string } | { ok: false; fault: WebhookUrlFault };

/** Names that a resolver answers from its own network, or that mean this machine. */
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|svc|lan|home|corp|private|home\.arpa)$/;

/** The one block of IPv6 that is handed out to the public; older forms of IPv4 inside IPv6 lie outside it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** Below stand services such as SSH and mail, which nobody may poke from here; receivers of one's own stand above. */
const LAST_SYSTEM_PORT = 1023;

/** Looks public, but only machines inside one cloud reach it: it tells them their secrets. */
const CLOUD_METADATA = '168.63.129.16';

/**
 * Says whether an address can be set. URL parsing has brought decimal, octal, hexadecimal and short IPv4 forms to
 * the usual one before a host is looked at. What a name leads to is looked at when it is resolved.
 */
export function checkWebhookUrl(text: string, rule: ReachRule): CheckedWebhookUrl {
  if (text.length > WEBHOOK_URL_MAX_LENGTH) return { ok: false, fault: 'too-long' };
  const url = URL.parse(text.trim());
  if (!url) return { ok: false, fault: 'not-a-url' };
  // A fragment is never sent.
  url.hash = '';
  const fault = findFault(url, rule);
  return fault ? { ok: false, fault } : { ok: true, url: url.href };
}

function findFault(url: URL, rule: ReachRule): WebhookUrlFault | undefined {
  const host = hostOf(url);
  if (url.href.length > WEBHOOK_URL_MAX_LENGTH) return 'too-long';
  const isDemoHttp = url.protocol === 'http:' && rule.allowsLoopback && isLoopbackHost(host);
  if (url.protocol !== 'https:' && !isDemoHttp) return 'not-https';
  if (url.username || url.password) return 'has-credentials';
  // Resolvers disagree on what an empty label means: `localhost..` is this machine to some.
  if (host.split('.').includes('')) return 'not-a-url';
  if (!mayReachHost(host, rule)) return 'private-address';
  return mayUsePort(url, rule) ? undefined : 'forbidden-port';
}

function mayUsePort(url: URL, { allowsLoopback }: ReachRule): boolean {
  const defaultPort = url.protocol === 'http:' ? HTTP_PORT : HTTPS_PORT;
  const port = url.port === '' ? defaultPort : Number(url.port);
  return port === HTTPS_PORT || port > LAST_SYSTEM_PORT || (allowsLoopback && port === HTTP_PORT);
}

/** The host as a resolver or a socket takes it: no brackets around IPv6, no dot at the end of a name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function mayReachHost(host: string, rule: ReachRule): boolean {
  if (isIP(host) !== 0) return mayReachAddress(host, rule);
  if (isLoopbackHost(host)) return rule.allowsLoopback;
  return host.includes('.') && !LOCAL_NAME.test(host);
}

/** Whether a connection may be made to this address: the last word, whatever a name or a resolver said. */
export function mayReachAddress(ip: string, rule: ReachRule): boolean {
  // A zone (fe80::1%eth0) makes an address one of a single link.
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  // An IPv4 address written inside IPv6 reaches what the IPv4 address reaches.
  const address = ipaddr.process(ip);
  if (rule.allowsLoopback && address.range() === 'loopback') return true;
  if (address.range() !== 'unicast' || address.toString() === CLOUD_METADATA) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}
