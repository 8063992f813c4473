/**
 * Allowed webhook targets. Admins choose where this machine connects to, so everything except the public internet is
 * rejected: the machine itself, its network, and cloud metadata services.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isLoopbackHost } from '../address.ts';

export const WEBHOOK_URL_MAX_LENGTH = 2048;

/** The local machine is only allowed in the demo, where its user sets the endpoints. */
export type ReachRule = { allowsLoopback: boolean };

export type WebhookUrlFault =
  | 'not-a-url'
  | 'too-long'
  | 'not-https'
  | 'has-credentials'
  | 'private-address'
  | 'forbidden-port';

export type CheckedWebhookUrl = { ok: true; url: string } | { ok: false; fault: WebhookUrlFault };

/** Names that resolve in the local network or mean this machine. */
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|svc|lan|home|corp|private|home\.arpa)$/;

/** The only IPv6 block for public addresses; older forms of IPv4 inside IPv6 are outside it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** Lower ports belong to services such as SSH and mail, which must not be reachable from here. */
const LAST_SYSTEM_PORT = 1023;

/** Looks public, but is only reachable inside one cloud and returns secrets. */
const CLOUD_METADATA = '168.63.129.16';

/**
 * Whether a URL is allowed. URL parsing normalizes decimal, octal, hexadecimal and short IPv4 forms before the host
 * is checked. The addresses of a name are checked when it is resolved.
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
  // Resolvers disagree on empty labels: `localhost..` is this machine to some.
  if (host.split('.').includes('')) return 'not-a-url';
  if (!mayReachHost(host, rule)) return 'private-address';
  return mayUsePort(url, rule) ? undefined : 'forbidden-port';
}

function mayUsePort(url: URL, { allowsLoopback }: ReachRule): boolean {
  const defaultPort = url.protocol === 'http:' ? HTTP_PORT : HTTPS_PORT;
  const port = url.port === '' ? defaultPort : Number(url.port);
  return port === HTTPS_PORT || port > LAST_SYSTEM_PORT || (allowsLoopback && port === HTTP_PORT);
}

/** The host as used by resolvers and sockets: no brackets around IPv6, no trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function mayReachHost(host: string, rule: ReachRule): boolean {
  if (isIP(host) !== 0) return mayReachAddress(host, rule);
  if (isLoopbackHost(host)) return rule.allowsLoopback;
  return host.includes('.') && !LOCAL_NAME.test(host);
}

/** Whether a connection to this address is allowed: the final check, after resolving. */
export function mayReachAddress(ip: string, rule: ReachRule): boolean {
  // An address with a zone (fe80::1%eth0) is link-local.
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  // An IPv4 address inside IPv6 is checked as IPv4.
  const address = ipaddr.process(ip);
  if (rule.allowsLoopback && address.range() === 'loopback') return true;
  if (address.range() !== 'unicast' || address.toString() === CLOUD_METADATA) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}
