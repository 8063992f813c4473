/** The name under which a client reached the service, from `Host` or `X-Forwarded-Host`. */

/**
 * A name or an address, with or without a port. Underscores are not allowed in DNS host names, but in the names of
 * containers and of nginx upstreams, which proxies send as Host.
 */
const HOST = /^[\w.:[\]-]{0,255}$/;

/** An empty host is valid: HTTP/1.0 and some health checks name none. */
export function isValidHost(host: string): boolean {
  return HOST.test(host);
}

/** The origin of a site without a configured URL, always https. Text that is no host leads to this machine. */
export function originOf(host: string): string {
  return URL.parse(`https://${host}`)?.origin ?? 'https://localhost';
}
