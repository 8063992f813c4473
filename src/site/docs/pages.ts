import { readFile } from 'node:fs/promises';
import { marked } from 'marked';
import { GUIDES, GUIDES_PATH } from '../../api/openapi/introduction.ts';
import type { Brand } from '../layout/brand.ts';
import { escapeHtml } from '../layout/html.ts';
import type { FileName } from './files.ts';

export const DOCS_PATH = '/docs';
export const FILES_PATH = '/docs/files';

/** The version of each file, so that its URL changes with it. */
export type FileVersions = Record<FileName, string>;

export type GuideName = keyof typeof GUIDES;

const DIRECTORY = new URL('../../../docs/guides/', import.meta.url);

/** Guides link to each other as files, as in the repository. */
const LINK_TO_GUIDE = /href="([a-z-]+)\.md(#[\w-]+)?"/g;

export function isGuide(name: string): name is GuideName {
  return Object.hasOwn(GUIDES, name);
}

/** A guide as HTML. The guides are trusted text, so nothing is escaped. */
export async function renderGuide(name: GuideName): Promise<string> {
  const html = await marked(await readFile(new URL(`${name}.md`, DIRECTORY), 'utf8'));
  return (
    html
      .replaceAll(LINK_TO_GUIDE, `href="${GUIDES_PATH}/$1$2"`)
      // A block that can be scrolled must be reachable by keyboard.
      .replaceAll('<pre>', '<pre tabindex="0">')
  );
}

/** The interactive reference. Without JavaScript the document itself and the guides are linked. */
export function referencePage(versions: FileVersions, brand: Brand): string {
  return page(
    'API reference',
    { versions, brand },
    `<div id="reference"></div>
<noscript><main class="noscript" id="authentication"><h1>API reference</h1>
<p>This page needs JavaScript. The same, for programs: <a href="/v7/openapi.json">openapi.json</a>. To read:</p>
<ul>${guideList()}</ul></main></noscript>
<script src="${address('scalar.js', versions)}"></script>
<script type="module" src="${address('reference.js', versions)}"></script>`,
  );
}

export function guidePage(title: string, content: string, options: DocsOptions): string {
  return page(title, options, `<main class="guide">${content}</main>`);
}

export type DocsOptions = { versions: FileVersions; brand: Brand };

function page(title: string, { versions, brand }: DocsOptions, body: string): string {
  const name = escapeHtml(brand.name);
  const { href, type } = brand.icons[0];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${name}</title>
<link rel="icon" href="${href}" type="${type}">
<link rel="stylesheet" href="${address('docs.css', versions)}">
${brand.stylesheet === null ? '' : `<link rel="stylesheet" href="${brand.stylesheet}">`}
</head>
<body>
<nav class="bar" aria-label="${name}"><a class="brand" href="/"><img src="${href}" alt="" width="24" height="24">${name}</a>
<a href="/docs">API reference</a> <a href="${GUIDES_PATH}">Guides</a> <a href="/dashboard">Dashboard</a></nav>
${body}
${brand.hasOwnName ? '<footer class="guide"><p>Powered by Votary</p></footer>' : ''}
</body>
</html>`;
}

export function guideList(): string {
  return Object.entries(GUIDES)
    .map(([name, title]) => `<li><a href="${GUIDES_PATH}/${name}">${title}</a></li>`)
    .join('');
}

function address(name: keyof FileVersions, versions: FileVersions): string {
  return `${FILES_PATH}/${name}?v=${versions[name]}`;
}
