/**
 * Where the events of an endpoint go. All kinds share queue, log, replay and tests.
 *
 *   https      a POST, signed according to Standard Webhooks
 *   topgg      a POST in one of the formats of top.gg
 *   discord    a message in a Discord channel; `url` is its webhook without the token, which is a secret
 *   votifier   a vote for a Minecraft server (Votifier v2); `url` is votifier://host:port, the token is a secret
 *
 * Allowed targets: admins choose where this machine connects to, so everything except the public internet is rejected:
 * the machine itself, its network, and cloud metadata services.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isInNetwork, isLoopbackHost } from '../address.ts';
import type { Locale } from '../locale.ts';
import { isRecord } from '../record.ts';
import { type RetryPolicy, STANDARD_RETRIES } from './delivery.ts';
import type { Templates } from './discord.ts';
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent, TEST_TYPES, type WebhookEventType } from './event.ts';
import { isTopggFormat, TOPGG_RETRIES, type TopggFormat } from './topgg.ts';

export const ENDPOINT_KINDS = ['https', 'topgg', 'discord', 'votifier'] as const;

export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

/** The column `kind`. An endpoint in a format of top.gg is stored as `https`, with the format in its options. */
export type StoredKind = Exclude<EndpointKind, 'topgg'>;

export type Destination =
  | { kind: 'https' }
  | { kind: 'topgg'; format: TopggFormat }
  | { kind: 'discord'; language: Locale; templates: Templates }
  /**
   * `serviceName`: what the votes are attributed to on the server. `consumer`: as which delivered votes are claimed; null:
   * they are not claimed.
   */
  | { kind: 'votifier'; serviceName: string; consumer: string | null };

/** A Minecraft server only accepts votes, and the formats of top.gg contain nothing else. */
export const EVENTS_OF_KIND: Record<EndpointKind, readonly SubscribableEvent[]> = {
  https: SUBSCRIBABLE_EVENTS,
  topgg: ['vote_received'],
  discord: SUBSCRIBABLE_EVENTS,
  votifier: ['vote_received'],
};

/** The tests that can be sent, the default one first. */
export const TESTS_OF_KIND: Record<EndpointKind, readonly [WebhookEventType, ...WebhookEventType[]]> = {
  https: TEST_TYPES,
  topgg: ['vote_received'],
  discord: TEST_TYPES,
  votifier: ['vote_received'],
};

export function isEndpointKind(text: unknown): text is EndpointKind {
  return ENDPOINT_KINDS.some((kind) => kind === text);
}

export function retriesOf(destination: Destination): RetryPolicy {
  return destination.kind === 'topgg' ? TOPGG_RETRIES[destination.format] : STANDARD_RETRIES;
}

/** Whether we create the secret of an endpoint, and show it. Others have a token that their admin enters. */
export function hasOwnSecret({ kind }: Destination): boolean {
  return kind === 'https' || kind === 'topgg';
}

export function storedKind({ kind }: Destination): StoredKind {
  return kind === 'topgg' ? 'https' : kind;
}

/** The part of a destination that is stored as JSON, beside its kind. */
export function formatOptions({ kind: _, ...options }: Destination): string {
  return JSON.stringify(options);
}

/** Reads what `formatOptions` wrote. */
export function parseDestination(kind: StoredKind, options: string): Destination {
  const stored: unknown = JSON.parse(options);
  const read = isRecord(stored) ? stored : {};
  switch (kind) {
    case 'https':
      return isTopggFormat(read.format) ? { kind: 'topgg', format: read.format } : { kind };
    case 'discord':
      return {
        kind,
        language: read.language === 'fr' ? 'fr' : 'en',
        templates: readTemplates(read.templates),
      };
    case 'votifier':
      return {
        kind,
        serviceName: String(read.serviceName ?? ''),
        consumer: typeof read.consumer === 'string' ? read.consumer : null,
      };
  }
}

function readTemplates(stored: unknown): Templates {
  const templates: Templates = {};
  for (const event of SUBSCRIBABLE_EVENTS) {
    const text = isRecord(stored) ? stored[event] : undefined;
    if (typeof text === 'string') templates[event] = text;
  }
  return templates;
}

export const WEBHOOK_URL_MAX_LENGTH = 2048;

export type ReachRule = {
  /** The local machine is only allowed in the demo, where its user sets the endpoints. */
  allowsLoopback: boolean;
  /** Networks the operator permits although they are private, by address or CIDR. */
  allowed?: readonly string[];
  /** Only the networks above: for plain HTTP, which is not protected on the internet. */
  onlyAllowed?: boolean;
};

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

/** Services of clouds that return secrets: not even permitted when their network is. */
const CLOUD_METADATA = [
  // AWS: instances, tasks of ECS, pods of EKS.
  '169.254.169.254',
  'fd00:ec2::254',
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::23',
  // Google Cloud over IPv6, Azure, Alibaba Cloud.
  'fd20:ce::254',
  '168.63.129.16',
  '100.100.100.200',
].map((address) => ipaddr.parse(address).toString());

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
  if (url.protocol !== 'https:' && !mayUsePlainHttp(url, rule)) return 'not-https';
  if (url.username || url.password) return 'has-credentials';
  // Resolvers disagree on empty labels: `localhost..` is this machine to some.
  if (host.split('.').includes('')) return 'not-a-url';
  if (!mayReachHost(host, rule)) return 'private-address';
  return mayUsePort(url, rule) ? undefined : 'forbidden-port';
}

/** On this machine in the demo, and in permitted networks. The addresses of a name are checked when it is resolved. */
function mayUsePlainHttp(url: URL, rule: ReachRule): boolean {
  const host = hostOf(url);
  if (url.protocol !== 'http:') return false;
  if (rule.allowsLoopback && isLoopbackHost(host)) return true;
  return isIP(host) === 0 ? hasAllowed(rule) : mayReachAddress(host, { ...rule, onlyAllowed: true });
}

function hasAllowed({ allowed = [] }: ReachRule): boolean {
  return allowed.length > 0;
}

/** The rule for the addresses that a URL resolves to. */
export function ruleFor(url: URL, rule: ReachRule): ReachRule {
  return url.protocol === 'http:' ? { ...rule, onlyAllowed: true } : rule;
}

function mayUsePort(url: URL, rule: ReachRule): boolean {
  const isHttp = url.protocol === 'http:';
  const port = url.port === '' ? (isHttp ? HTTP_PORT : HTTPS_PORT) : Number(url.port);
  if (port === HTTPS_PORT || port > LAST_SYSTEM_PORT) return true;
  return port === HTTP_PORT && (rule.allowsLoopback || (isHttp && hasAllowed(rule)));
}

/** The host as used by resolvers and sockets: no brackets around IPv6, no trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function mayReachHost(host: string, rule: ReachRule): boolean {
  if (isIP(host) !== 0) return mayReachAddress(host, rule);
  if (isLoopbackHost(host)) return rule.allowsLoopback || hasAllowed(rule);
  // With permitted networks, the addresses of a local name decide.
  return hasAllowed(rule) || (host.includes('.') && !LOCAL_NAME.test(host));
}

/** Whether a connection to this address is allowed: the final check, after resolving. */
export function mayReachAddress(ip: string, rule: ReachRule): boolean {
  // An address with a zone (fe80::1%eth0) is link-local.
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  // An IPv4 address inside IPv6 is checked as IPv4.
  const address = ipaddr.process(ip);
  if (rule.allowsLoopback && address.range() === 'loopback') return true;
  if (isCloudMetadata(address)) return false;
  if (rule.allowed?.some((network) => isInNetwork(ip, network))) return true;
  if (rule.onlyAllowed || address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

/** Whether VOTARY_WEBHOOK_ALLOW has no effect on this address. */
export function isNeverAllowed(ip: string): boolean {
  return isIP(ip) === 0 || ip.includes('%') || isCloudMetadata(ipaddr.process(ip));
}

/** Translators (NAT64, 6to4) forward some IPv6 addresses to the IPv4 address that they contain. */
function isCloudMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const bytes = address.toByteArray();
  const contained = address.kind() === 'ipv4' ? [] : [bytes.slice(12), bytes.slice(2, 6)];
  return [bytes, ...contained].some((part) => CLOUD_METADATA.includes(ipaddr.fromByteArray(part).toString()));
}
