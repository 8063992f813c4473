/** The API reference and the guides. Files load from this server, so they also work on a machine without internet access. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NOT_FOUND_STATUS } from '../../api/errors/responses.ts';
import { GUIDES_PATH } from '../../api/openapi/introduction.ts';
import { firstText } from '../../domain/record.ts';
import { streamContent } from '../../http/slices.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError } from '../errors/page-error.ts';
import { CACHED_FOR_A_YEAR } from '../layout/assets.ts';
import { isUnchanged } from '../layout/etag.ts';
import { html } from '../layout/html.ts';
import { acceptedEncoding, compressFile, pageContext, sendPage } from '../layout/responses.ts';
import { clientsMessages } from './clients-messages.ts';
import { clientsView } from './clients-page.ts';
import { type Download, STORED_DOWNLOADS } from './downloads.ts';
import { type DocsFile, loadFile, SCALAR_SCRIPT, START_SCRIPT, STYLES } from './files.ts';
import { renderGuide } from './guide-view.ts';
import { docsMessages } from './messages.ts';
import {
  APIS,
  CLIENTS_PATH,
  DOCS_PATH,
  FILES_PATH,
  type FileUrls,
  guideList,
  guidePage,
  INTERACTIVE_PATH,
  interactivePage,
  isGuide,
  referencePage,
} from './pages.ts';

/** Files of the reference: they need no session. */
export async function docs(
  app: FastifyInstance,
  { downloads = STORED_DOWNLOADS }: Pick<SiteDeps, 'downloads'>,
): Promise<void> {
  app.get<{ Params: { name: string } }>(`${FILES_PATH}/:name`, async (request, reply) => {
    const { name } = request.params;
    const download = await downloads.find(name);
    if (download) return sendDownload(request, reply, name, download);
    const file = await loadFile(name);
    if (file === undefined) return reply.code(NOT_FOUND_STATUS).send();
    const { type, body } = file;
    reply.type(type).header('cache-control', CACHED_FOR_A_YEAR).header('vary', 'Accept-Encoding');
    reply.header('cross-origin-opener-policy', 'same-origin');
    const encoding = acceptedEncoding(request);
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    const content = encoding === undefined ? body : await compressFile(body, encoding);
    return reply.header('content-length', content.length).send(streamContent(content));
  });
}

/** The name stays the same in the next version, so caches have to ask whether the content did. */
function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  { type, body, sha256 }: Download,
): FastifyReply {
  reply.header('cache-control', 'public, no-cache');
  if (isUnchanged(request, reply, sha256)) return reply.send();
  reply.type(type).header('content-disposition', `attachment; filename="${name}"`);
  return reply.header('content-length', body.length).send(streamContent(body));
}

export function docsPages(app: FastifyInstance, { signIn, downloads = STORED_DOWNLOADS }: SiteDeps): void {
  const showReference = async (request: FastifyRequest, reply: FastifyReply) => {
    const context = pageContext(request, reply, signIn);
    const { id, path } = APIS.find((api) => api.id === firstText(request.query, 'api')) ?? APIS[0];
    const document = app.apiDocuments.get(path)?.();
    if (!document) throw new PageError('NOT_FOUND');
    // It imports the Markdown parser, which no other page needs.
    const { renderReference } = await import('./reference-view.ts');
    return sendPage(reply, referencePage(context, id, renderReference(document)));
  };

  app.get(INTERACTIVE_PATH, async (request, reply) => {
    const context = pageContext(request, reply, signIn);
    reply.header('content-security-policy', REFERENCE_POLICY);
    return sendPage(reply, interactivePage(context, await readUrls()));
  });

  app.get(DOCS_PATH, showReference);
  app.get(`${DOCS_PATH}/`, showReference);

  app.get(GUIDES_PATH, async (request, reply) => {
    const context = pageContext(request, reply, signIn);
    const { guides, guidesLead } = docsMessages[context.locale];
    const content = html`<h1>${guides}</h1><p class="muted lead">${guidesLead}</p>${guideList(context.locale)}`;
    const page = { title: guides, description: guidesLead, current: 'guides' as const, content };
    return sendPage(reply, guidePage(context, page));
  });

  app.get(CLIENTS_PATH, async (request, reply) => {
    const context = pageContext(request, reply, signIn);
    const { title, lead } = clientsMessages[context.locale];
    const content = clientsView(context, await downloads.list());
    const page = { title, description: lead, current: 'clients' as const, content };
    return sendPage(reply, guidePage(context, page));
  });

  app.get<{ Params: { name: string } }>(`${GUIDES_PATH}/:name`, async (request, reply) => {
    const { name } = request.params;
    const context = pageContext(request, reply, signIn);
    const text = docsMessages[context.locale];
    if (!isGuide(name)) {
      const content = html`<h1>${text.unknownGuide}</h1>${guideList(context.locale)}`;
      const page = { title: text.unknownGuide, description: text.guidesLead, current: null, content };
      return sendPage(reply.code(NOT_FOUND_STATUS), guidePage(context, page));
    }
    const title = text.titles[name];
    const content = html`<div lang="en">${await renderGuide(name, context)}</div>`;
    const page = { title, description: text.guideDescription(title), current: name, content };
    return sendPage(reply, guidePage(context, page));
  });
}

/** Scalar uses style attributes. Scripts may only come from our own files. */
const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

async function readUrls(): Promise<FileUrls> {
  const urlOf = ({ name, version }: DocsFile) => `${FILES_PATH}/${name}?v=${version}`;
  const scalar = await loadFile(SCALAR_SCRIPT);
  return { styles: urlOf(STYLES), start: urlOf(START_SCRIPT), scalar: scalar ? urlOf(scalar) : null };
}
