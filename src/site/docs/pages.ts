/** The API reference and the guides, in the layout of the site. */

import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import type { Document } from '../../api/openapi/components.ts';
import { GUIDES, GUIDES_PATH, type GuideName } from '../../api/openapi/introduction.ts';
import type { Locale } from '../../domain/locale.ts';
import { copyButton } from '../layout/copy-button.ts';
import { escapeHtml, Html, html } from '../layout/html.ts';
import { type PageContext, renderPage } from '../layout/page.ts';
import { highlight } from './highlight.ts';
import { docsMessages } from './messages.ts';
import { referenceContents, referenceView } from './reference-view.ts';

export const DOCS_PATH = '/docs';
export const FILES_PATH = '/docs/files';
export const INTERACTIVE_PATH = '/docs/interactive';
export const CLIENTS_PATH = '/docs/clients';

export function guidePath(name: string): string {
  return `${GUIDES_PATH}/${name}`;
}

/** The URL of each file, which changes with its content. `scalar` is null if Scalar is not installed. */
export type FileUrls = { styles: string; start: string; scalar: string | null };

const DIRECTORY = new URL('../../../docs/guides/', import.meta.url);

/** The URL of the service in the guides, which is replaced by that of this site. */
const EXAMPLE_ORIGIN = 'https://votes.example.org';

export function isGuide(name: string): name is GuideName {
  return Object.hasOwn(GUIDES, name);
}

/** Read at start, because the files may be replaced while the service runs. */
const TEXTS = new Map(
  Object.keys(GUIDES).map((name) => [name, readFileSync(new URL(`${name}.md`, DIRECTORY), 'utf8')]),
);

const rendered = new Map<string, Promise<string>>();

/** A guide as HTML. The guides are trusted text, so nothing but code is escaped. */
export async function renderGuide(name: GuideName, { locale, origin }: PageContext): Promise<Html> {
  const key = `${name} ${locale}`;
  const guide = rendered.get(key) ?? toHtml(name, locale);
  rendered.set(key, guide);
  return new Html((await guide).replaceAll(EXAMPLE_ORIGIN, () => escapeHtml(origin)));
}

async function toHtml(name: GuideName, locale: Locale): Promise<string> {
  let blocks = 0;
  const marked = new Marked({
    renderer: {
      code({ text, lang = '' }) {
        blocks += 1;
        return codeBlock(text, lang, `code-${blocks}`, locale).text;
      },
      // Guides link to each other as files, so that the links also work in the repository.
      link({ href, tokens }) {
        const path = href.replace(/^([a-z-]+)\.md(?=#|$)/, (_file, name: string) => guidePath(name));
        return `<a href="${escapeHtml(path)}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  return (await marked.parse(TEXTS.get(name) ?? '')).replaceAll('<table>', '<table class="guide-table">');
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

const renderedReferences = new WeakMap<Document, { contents: Html; view: Html }>();

/** The reference as text. */
export function referencePage(context: PageContext, id: ApiId, document: Document): string {
  const text = docsMessages[context.locale];
  const kept = renderedReferences.get(document);
  const { contents, view } = kept ?? {
    contents: referenceContents(document),
    view: referenceView(document),
  };
  if (!kept) renderedReferences.set(document, { contents, view });
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
