/**
 * Compresses pages and files of the site with Brotli or gzip. Streams, such as server-sent events and CSV downloads, and
 * responses to forms, which may show a secret, are sent as they are.
 *
 * Compression must not help to guess a secret of a page (BREACH): the only one that pages repeat is the token of forms,
 * and each response carries a different token, a hash with a new salt.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { limitHeaderList } from '../../domain/locale.ts';
import { isVisit } from '../paths.ts';

const ENCODINGS = ['br', 'gzip'] as const;

export type Encoding = (typeof ENCODINGS)[number];

const COMPRESSIBLE =
  /^(?:text\/|image\/svg\+xml|application\/(?:json|xml|javascript|manifest\+json)|image\/(?:x-icon|vnd\.microsoft\.icon))/;
/** Smaller responses fit into one packet anyway. */
const MIN_BYTES = 1400;

/** For pages: 40 kB in about a millisecond. */
const PAGE_QUALITY = 4;
/** For files, which are compressed once; large ones would take seconds. */
const FILE_QUALITY = 11;
const LARGE_FILE_QUALITY = 6;
const LARGE_FILE_BYTES = 256 * 1024;

/** The best encoding that the client accepts; `undefined`: none. */
export function acceptedEncoding({ headers }: FastifyRequest): Encoding | undefined {
  const accepted = limitHeaderList(String(headers['accept-encoding'] ?? ''));
  if (accepted === '') return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } });
  // Browsers name gzip first, and mean no preference.
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

/** An `onSend` hook. Text is a page of its own; a buffer is a file that is sent again and again. */
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
  if (encoding === undefined || Buffer.byteLength(payload) < MIN_BYTES || !isVisit(request)) return payload;
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
