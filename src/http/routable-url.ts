import { isDecodable } from '../domain/text/percent-encoding.ts';

/**
 * A request target as a path, which routes, redirects and links rely on. A path with a malformed percent escape
 * (`/v7/guild/votes/users/%zz`) becomes routable by taking its percent signs literally, so it gets the response of its
 * route instead of a router error.
 */
export function routableUrl(target: string): string {
  const url = target.startsWith('/') ? target : pathOfAbsolute(target);
  if (!url.includes('%')) return url;
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);
  if (isDecodable(path)) return url;
  return path.replaceAll('%', '%25') + url.slice(path.length);
}

/** The form that clients send to forward proxies, as in `GET https://host/path`. Only Host names the host. */
function pathOfAbsolute(target: string): string {
  const [prefix = ''] = /^https?:\/\/[^/?]*/i.exec(target) ?? [];
  const path = target.slice(prefix.length);
  return prefix === '' || path.startsWith('/') ? path : `/${path}`;
}
