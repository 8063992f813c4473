/** The API reference and the guides, in the layout of the site. */
import { GUIDES, GUIDES_PATH, type GuideName } from '../../api/openapi/introduction.ts';
import type { Locale } from '../../domain/locale.ts';
import { copyButton } from '../layout/copy-button.ts';
import { Html, html } from '../layout/html.ts';
import { type PageContext, renderPage } from '../layout/page.ts';
import { highlight } from './highlight.ts';
import { docsMessages } from './messages.ts';
import type { RenderedReference } from './reference-view.ts';

export const DOCS_PATH = '/docs';
export const FILES_PATH = '/docs/files';
export const INTERACTIVE_PATH = '/docs/interactive';
export const CLIENTS_PATH = '/docs/clients';

export function guidePath(name: string): string {
  return `${GUIDES_PATH}/${name}`;
}

/** The URL of each file, which changes with its content. `scalar` is null if Scalar is not installed. */
export type FileUrls = { styles: string; start: string; scalar: string | null };

export function isGuide(name: string): name is GuideName {
  return Object.hasOwn(GUIDES, name);
}

/** A block that can be scrolled must be reachable by keyboard. */
export function codeBlock(code: string, info: string, id: string, locale: Locale): Html {
  const [language = '', file = ''] = info.split(' ');
  const text = docsMessages[locale];
  return html`<div class="code"><div class="code-head"><span class="muted small-text">${file || language}</span>${copyButton(locale, id, text.copy)}</div>
<pre tabindex="0"><code id="${id}">${new Html(highlight(code, language))}</code></pre></div>`;
}

/** The APIs with a reference. `id` is the parameter of the URL. */
export const APIS = [
  { id: 'v7', path: '/v7' },
  { id: 'manage', path: '/manage/v1' },
] as const;

export type ApiId = (typeof APIS)[number]['id'];

/** The reference as text. */
export function referencePage(
  context: PageContext,
  id: ApiId,
  { contents, view }: RenderedReference,
): string {
  const text = docsMessages[context.locale];
  const apis = html`<p class="row">${APIS.map(
    (api) =>
      html`<a class="button small${api.id !== id && ' secondary'}" href="${api.id === 'v7' ? DOCS_PATH : `${DOCS_PATH}?api=${api.id}`}"${api.id === id && html` aria-current="page"`}>${text.apis[api.id]}</a> `,
  )}<a class="button small secondary" href="${INTERACTIVE_PATH}?api=${id}">${text.interactive}</a> <a href="${APIS.find((api) => api.id === id)?.path}/openapi.json">${text.document}</a></p>`;
  const content = html`<h1>${text.reference}</h1>${apis}<div lang="en">${view}</div>`;
  return guidePage(context, {
    title: text.reference,
    description: text.referenceDescription(context.brand.name),
    current: 'reference',
    content,
    contents,
  });
}

/** The interactive reference. Without JavaScript, or without Scalar, the document itself and the guides are linked. */
export function interactivePage(context: PageContext, urls: FileUrls): string {
  const text = docsMessages[context.locale];
  const links = (reason: string) => html`<main class="noscript" id="authentication"><h1>${text.reference}</h1>
<p>${reason} <a href="/v7/openapi.json">${text.document}</a>, <a href="/manage/v1/openapi.json">${text.manageDocument}</a></p>
${guideList(context.locale)}</main>`;
  const reference =
    urls.scalar === null
      ? links(text.needsScalar)
      : html`<div id="reference" lang="en"></div>
<noscript>${links(text.needsScript)}</noscript>
<script src="${urls.scalar}"></script>
<script type="module" src="${urls.start}"></script>`;
  const main = html`<nav class="docs-bar" aria-label="${text.navigation}"><a href="${DOCS_PATH}">${text.reference}</a> <a href="${GUIDES_PATH}">${text.guides}</a> <a href="${CLIENTS_PATH}">${text.clients}</a>${text.language !== null && html` <span class="muted">${text.language}</span>`}</nav>
${reference}`;
  return renderPage(context, {
    title: text.interactive,
    description: text.referenceDescription(context.brand.name),
    isIndexed: false,
    main,
    width: 'reference',
    extraStyles: [urls.styles],
  });
}

/** `current`: the guide, or one of the pages above the list of guides. */
type GuidePage = {
  title: string;
  description: string;
  current: GuideName | 'reference' | 'guides' | 'clients' | null;
  content: Html;
  /** The contents of the page, for the navigation. */
  contents?: Html;
};

export function guidePage(context: PageContext, page: GuidePage): string {
  const text = docsMessages[context.locale];
  const guide = page.current !== null && isGuide(page.current) ? page.current : null;
  const main = html`<div class="docs-columns">
<nav class="docs-nav" aria-label="${text.navigation}">
<p><a href="${DOCS_PATH}"${page.current === 'reference' && html` aria-current="page"`}>${text.reference}</a></p>
${page.contents}
<p><a href="${CLIENTS_PATH}"${page.current === 'clients' && html` aria-current="page"`}>${text.clients}</a></p>
<p><a href="${GUIDES_PATH}"${page.current === 'guides' && html` aria-current="page"`}>${text.guides}</a></p>
${guide !== null && guideList(context.locale, guide)}
${text.language !== null && html`<p class="muted small-text">${text.language}</p>`}
</nav>
<article class="guide">${page.content}</article></div>`;
  return renderPage(context, {
    title: page.title,
    description: page.description,
    main,
    styles: ['guides.css'],
    scripts: ['dashboard/dashboard.js'],
    width: 'wide',
  });
}

export function guideList(locale: Locale, current: GuideName | null = null): Html {
  const names = Object.keys(GUIDES).filter(isGuide);
  return html`<ul>${names.map((name) => html`<li><a href="${guidePath(name)}"${name === current && html` aria-current="page"`}>${docsMessages[locale].titles[name]}</a></li>\n`)}</ul>`;
}
