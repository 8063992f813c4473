import { readFile } from 'node:fs/promises';
import { marked } from 'marked';
import { GUIDES, GUIDES_PATH } from '../../api/openapi/introduction.ts';
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
export function referencePage(versions: FileVersions): string {
  return page(
    'API reference',
    versions,
    `<div id="reference"></div>
<noscript><main class="noscript" id="authentication"><h1>API reference</h1>
<p>This page needs JavaScript. The same, for programs: <a href="/v7/openapi.json">openapi.json</a>. To read:</p>
<ul>${guideList()}</ul></main></noscript>
<script src="${address('scalar.js', versions)}"></script>
<script type="module" src="${address('reference.js', versions)}"></script>`,
  );
}

export function guidePage(title: string, content: string, versions: FileVersions): string {
  return page(title, versions, `<main class="guide">${content}</main>`);
}

function page(title: string, versions: FileVersions, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Votary</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${address('docs.css', versions)}">
</head>
<body>
<nav class="bar" aria-label="Votary"><a class="brand" href="/"><img src="${ICON}" alt="" width="24" height="24">Votary</a>
<a href="/docs">API reference</a> <a href="${GUIDES_PATH}">Guides</a> <a href="/dashboard">Dashboard</a></nav>
${body}
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

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect x='2' y='2' width='28' height='28' rx='8' fill='%234a3fd6'/%3E%3Cpath d='M9.5 16.5l4.6 4.6L23 12' fill='none' stroke='%23fff' stroke-width='3.4' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E";
