/**
 * `/docs`: the interactive reference (Scalar, from /v7/openapi.json) and the guides. Everything is served by this
 * server; see docs/decisions/0016-openapi-and-reference.md.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NOT_FOUND_STATUS } from '../../api/errors.ts';
import { GUIDES, GUIDES_PATH } from '../../api/openapi/introduction.ts';
import { DAY_MS, SECOND_MS } from '../../domain/clock.ts';
import { acceptedEncoding, compressFile, compressResponse } from '../layout/compression.ts';
import { FILES, type FileName, loadFile, streamContent } from './files.ts';
import {
  DOCS_PATH,
  FILES_PATH,
  type FileVersions,
  guideList,
  guidePage,
  isGuide,
  referencePage,
  renderGuide,
} from './pages.ts';

const FOR_A_YEAR = `public, max-age=${(365 * DAY_MS) / SECOND_MS}, immutable`;

export async function docs(app: FastifyInstance): Promise<void> {
  app.addHook('onSend', addHeaders);
  app.addHook('onSend', compressResponse);

  const options = async () => ({ versions: await readVersions(), brand: app.brand });
  const showReference = async (_request: FastifyRequest, reply: FastifyReply) =>
    sendPage(reply, referencePage(await readVersions(), app.brand), ALLOW_INLINE_STYLES);
  app.get(DOCS_PATH, showReference);
  app.get(`${DOCS_PATH}/`, showReference);

  app.get(GUIDES_PATH, async (_request, reply) =>
    sendPage(reply, guidePage('Guides', `<h1>Guides</h1><ul>${guideList()}</ul>`, await options())),
  );
  app.get<{ Params: { name: string } }>(`${GUIDES_PATH}/:name`, async ({ params: { name } }, reply) => {
    if (!isGuide(name))
      return sendPage(
        reply.code(NOT_FOUND_STATUS),
        guidePage('No such guide', UNKNOWN_GUIDE, await options()),
      );
    return sendPage(reply, guidePage(GUIDES[name], await renderGuide(name), await options()));
  });
  app.get<{ Params: { name: string } }>(`${FILES_PATH}/:name`, async (request, reply) => {
    const { name } = request.params;
    if (!isFile(name)) return reply.code(NOT_FOUND_STATUS).send();
    const { type, body } = await loadFile(name);
    reply.type(type).header('cache-control', FOR_A_YEAR).header('vary', 'Accept-Encoding');
    const encoding = acceptedEncoding(request);
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    const content = encoding === undefined ? body : await compressFile(body, encoding);
    return reply.header('content-length', content.length).send(streamContent(content));
  });
}

/** Handled here, because the pages of the site need a session, which these paths do not have. */
const UNKNOWN_GUIDE = `<h1>There is no such guide</h1><p>These are all of them:</p><ul>${guideList()}</ul>`;

/** Scalar uses style attributes. Scripts may only come from our own files. */
const ALLOW_INLINE_STYLES = " 'unsafe-inline'";

function sendPage(reply: FastifyReply, page: string, styles = ''): FastifyReply {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('content-language', 'en')
    .header('cache-control', 'no-cache')
    .send(page);
}

async function addHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
  });
}

async function readVersions(): Promise<FileVersions> {
  const [css, reference, scalar] = await Promise.all([
    loadFile('docs.css'),
    loadFile('reference.js'),
    loadFile('scalar.js'),
  ]);
  return { 'docs.css': css.version, 'reference.js': reference.version, 'scalar.js': scalar.version };
}

function isFile(name: string): name is FileName {
  return Object.hasOwn(FILES, name);
}
