/** Pages as responses: their language and context, security headers, and compression. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { chooseLocale, type Locale, limitHeaderList } from '../../domain/locale.ts';
import { isDemoRequest } from '../demo-request.ts';
import { isAdminPath, isVisit, pathToReturnTo, siteAddress } from '../paths.ts';
import type { PageContext } from './page.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The user ids that may open the operator console. */
    operators: ReadonlySet<string>;
  }
}

/** Stores the language chosen on the page. */
export const LOCALE_COOKIE = 'votary_locale';

/** The language chosen on the page, otherwise that of the browser. */
function siteLocale(request: FastifyRequest): Locale {
  return chooseLocale({
    // Null, despite its type, if the request failed before its cookies were read.
    parameter: request.cookies?.[LOCALE_COOKIE],
    acceptLanguage: request.headers['accept-language'],
  });
}

/** What the layout needs to know about the request. */
export function pageContext(
  request: FastifyRequest,
  reply: FastifyReply,
  options: { isDemo: boolean },
): PageContext {
  return {
    locale: siteLocale(request),
    person: request.person,
    path: pathToReturnTo(request),
    // The token is bound to the session; without one there are no forms that change anything.
    csrfToken: request.person ? reply.generateCsrf() : '',
    isFormResponse: !isVisit(request),
    isOperator: request.person !== null && request.server.operators.has(request.person.userId),
    isReadOnly: false,
    isDemo: isDemoRequest(request, options),
    brand: request.server.brand,
    origin: siteAddress(request),
  };
}

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page);
}

/**
 * Only our own files are loaded or run, and pages cannot be framed. Browsers apply form-action to redirects too, so a
 * form that requires sign-in must be allowed to redirect there.
 */
function contentSecurityPolicy({ signInOrigin, challengeOrigin }: PolicyOrigins, pictures = ''): string {
  const challenge = challengeOrigin === null ? '' : ` ${challengeOrigin}`;
  return [
    "default-src 'none'",
    `script-src 'self'${challenge}`,
    "style-src 'self'",
    `img-src 'self' data:${pictures}`,
    "connect-src 'self'",
    "manifest-src 'self'",
    `form-action 'self'${signInOrigin === null ? '' : ` ${signInOrigin}`}`,
    ...(challengeOrigin === null ? [] : [`frame-src ${challengeOrigin}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** `challengeOrigin`: the origin of an external challenge's script and frame. */
type PolicyOrigins = {
  signInOrigin: string | null;
  challengeOrigin: string | null;
  pictureOrigin: string;
};

export function pageHeaders(origins: PolicyOrigins) {
  const policy = contentSecurityPolicy(origins);
  // Only these pages load profile pictures from Discord; their visitors have signed in there anyway.
  const adminPolicy = contentSecurityPolicy(origins, ` ${origins.pictureOrigin}`);
  const headers = {
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!reply.hasHeader('content-security-policy'))
      reply.header('content-security-policy', isAdminPath(request.url) ? adminPolicy : policy);
    reply.headers(headers);
    addPageHeaders(request, reply);
  };
}

function addPageHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (!String(reply.getHeader('content-type')).startsWith('text/html')) return;
  // Pages show who is signed in, so they are never cached.
  reply.header('cache-control', 'no-store');
  reply.header('content-language', siteLocale(request));
  reply.header('vary', 'Accept-Language, Cookie');
}

const ENCODINGS = ['br', 'gzip'] as const;

type Encoding = (typeof ENCODINGS)[number];

const COMPRESSIBLE =
  /^(?:text\/|image\/svg\+xml|application\/(?:json|xml|javascript|manifest\+json)|image\/(?:x-icon|vnd\.microsoft\.icon))/;
/** Smaller responses fit into one packet anyway. */
const MIN_BYTES = 1400;

/** Pages are compressed for each response: 40 kB take about a millisecond. */
const PAGE_QUALITY = 4;
/** Files are compressed once. Large ones would take seconds at this quality. */
const FILE_QUALITY = 11;
const LARGE_FILE_QUALITY = 6;
const LARGE_FILE_BYTES = 256 * 1024;

/** The best encoding that the client accepts; `undefined`: none. */
export function acceptedEncoding({ headers }: FastifyRequest): Encoding | undefined {
  const accepted = limitHeaderList(String(headers['accept-encoding'] ?? ''));
  if (accepted === '') return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } });
  // Browsers list gzip first, but do not prefer it.
  const offered = negotiator.encodings([...ENCODINGS]);
  return ENCODINGS.find((encoding) => offered.includes(encoding));
}

const compressedFiles = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();

/** A file that is kept in memory, compressed on the first request for it. */
export function compressFile(file: Buffer, encoding: Encoding): Promise<Buffer> {
  const known = compressedFiles.get(file) ?? new Map<Encoding, Promise<Buffer>>();
  compressedFiles.set(file, known);
  const quality = file.length > LARGE_FILE_BYTES ? LARGE_FILE_QUALITY : FILE_QUALITY;
  const compressed = known.get(encoding) ?? compress(file, encoding, quality);
  known.set(encoding, compressed);
  return compressed;
}

function compress(content: string | Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(content);
  return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
}

/**
 * An `onSend` hook that compresses pages and files with Brotli or gzip. Strings are pages; buffers are files,
 * which are compressed once. Streams, such as server-sent events and CSV downloads, and pages that show the result of a
 * form, which may be a secret, are not compressed.
 *
 * Compression must not help to guess a secret of a page (BREACH). The only secret that pages repeat is the CSRF token,
 * which is different in each response: a hash with a new salt.
 */
export async function compressResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type'))) || reply.hasHeader('content-encoding'))
    return payload;
  addVary(reply);
  const encoding = acceptedEncoding(request);
  const mayShowSecret = !isVisit(request) || request.flash !== null;
  if (encoding === undefined || Buffer.byteLength(payload) < MIN_BYTES || mayShowSecret) return payload;
  reply.header('content-encoding', encoding).removeHeader('content-length');
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string' && !etag.startsWith('W/')) reply.header('etag', `W/${etag}`);
  if (typeof payload === 'string') return compress(payload, encoding, PAGE_QUALITY);
  return compressFile(payload, encoding);
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}
