/** The API reference and the guides, in the layout of the site. */
import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { GUIDES, GUIDES_PATH } from '../../api/openapi/introduction.ts';
import type { Locale } from '../../domain/locale.ts';
import { copyButton } from '../layout/format.ts';
import { escapeHtml, Html, html } from '../layout/html.ts';
import { type PageContext, renderPage } from '../layout/page.ts';
import type { FileName } from './files.ts';

export const DOCS_PATH = '/docs';
export const FILES_PATH = '/docs/files';
export const CLIENTS_PATH = '/docs/clients';

export function guidePath(name: string): string {
  return `${GUIDES_PATH}/${name}`;
}

/** The URL of each file, which changes with its content. */
export type FileUrls = Record<FileName, string>;

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

/** The interactive reference. Without JavaScript the document itself and the guides are linked. */
export function referencePage(context: PageContext, urls: FileUrls): string {
  const text = docsMessages[context.locale];
  const main = html`<nav class="docs-bar" aria-label="${text.navigation}"><a href="${DOCS_PATH}" aria-current="page">${text.reference}</a> <a href="${GUIDES_PATH}">${text.guides}</a> <a href="${CLIENTS_PATH}">${text.clients}</a>${text.language !== null && html` <span class="muted">${text.language}</span>`}</nav>
<div id="reference" lang="en"></div>
<noscript><main class="noscript" id="authentication"><h1>${text.reference}</h1>
<p>${text.needsScript} <a href="/v7/openapi.json">${text.document}</a></p>
${guideList(context.locale)}</main></noscript>
<script src="${urls['scalar.js']}"></script>
<script type="module" src="${urls['reference.js']}"></script>`;
  return renderPage(context, {
    title: text.reference,
    description: text.referenceDescription(context.brand.name),
    main,
    width: 'reference',
    extraStyles: [urls['docs.css']],
  });
}

/** `current`: the guide, or one of the pages above the list of guides. */
type GuidePage = {
  title: string;
  description: string;
  current: GuideName | 'guides' | 'clients' | null;
  content: Html;
};

export function guidePage(context: PageContext, page: GuidePage): string {
  const text = docsMessages[context.locale];
  const guide = page.current !== null && isGuide(page.current) ? page.current : null;
  const main = html`<div class="docs-columns">
<article class="guide">${page.content}</article>
<nav class="docs-nav" aria-label="${text.navigation}">
<p><a href="${DOCS_PATH}">${text.reference}</a></p>
<p><a href="${CLIENTS_PATH}"${page.current === 'clients' && html` aria-current="page"`}>${text.clients}</a></p>
<p><a href="${GUIDES_PATH}"${page.current === 'guides' && html` aria-current="page"`}>${text.guides}</a></p>
${guide !== null && guideList(context.locale, guide)}
${text.language !== null && html`<p class="muted small-text">${text.language}</p>`}
</nav></div>`;
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

type GuideName = keyof typeof GUIDES;

type DocsMessages = {
  navigation: string;
  reference: string;
  referenceDescription(site: string): string;
  needsScript: string;
  document: string;
  guides: string;
  clients: string;
  guidesLead: string;
  guideDescription(title: string): string;
  /** A note that the guides and the reference are in English only; null in English. */
  language: string | null;
  unknownGuide: string;
  copy: string;
  titles: Record<GuideName, string>;
};

export const docsMessages: Record<Locale, DocsMessages> = {
  en: {
    navigation: 'Documentation',
    reference: 'API reference',
    referenceDescription: (site) => `The API of ${site}: check votes, claim rewards, and receive every vote.`,
    needsScript:
      'The interactive reference needs JavaScript. You can also read the guides, or the OpenAPI document:',
    document: 'openapi.json',
    guides: 'Guides',
    clients: 'Client libraries',
    guidesLead: 'Complete example programs for bots, websites and game servers.',
    guideDescription: (title) => `How to verify and reward votes: ${title}.`,
    language: null,
    unknownGuide: 'Guide not found',
    copy: 'Copy',
    titles: GUIDES,
  },
  fr: {
    navigation: 'Documentation',
    reference: 'Référence de l’API',
    referenceDescription: (site) =>
      `L’API de ${site}\u00A0: vérifiez les votes, attribuez les récompenses et recevez chaque vote.`,
    needsScript:
      'La référence interactive nécessite JavaScript. Vous pouvez aussi lire les guides ou le document OpenAPI\u00A0:',
    document: 'openapi.json',
    guides: 'Guides',
    clients: 'Bibliothèques clientes',
    guidesLead: 'Des programmes d’exemple complets pour les bots, les sites et les serveurs de jeu.',
    guideDescription: (title) => `Vérifier et récompenser les votes\u00A0: ${title}.`,
    language: 'Les guides et la référence sont en anglais.',
    unknownGuide: 'Guide introuvable',
    copy: 'Copier',
    titles: {
      curl: 'curl',
      'discord-app': 'Application Discord (pour les exploitants)',
      'discord-bot-node': 'Bot Discord (Node)',
      'php-cms': 'Site PHP ou CMS',
      azuriom: 'Azuriom',
      python: 'Python',
      'java-game-server': 'Serveur de jeu Java',
      'minecraft-paper': 'Plugin Minecraft (Paper)',
      webhooks: 'Recevoir des webhooks',
      'discord-channel': 'Votes dans un salon Discord',
      votifier: 'Serveur Minecraft avec NuVotifier',
      listforge: 'Migrer depuis un site ListForge',
      'signed-links': 'Liens de vote signés',
    },
  },
};

type Language = { comment: string; keywords: string };

const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`;
const HASH = String.raw`(?<=^|\s)#[^\n]*`;
const STRING = String.raw`"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\x60(?:[^\x60\\]|\\.)*\x60`;
const NUMBER = String.raw`\b\d[\d_.]*\b`;

/** Matches nothing. */
const NOTHING = '(?!)';

const JS: Language = {
  comment: SLASHES,
  keywords:
    'async await break case catch class const continue else export extends false finally for from function if import in instanceof let new null of return static switch this throw true try typeof undefined while yield',
};

const LANGUAGES: Record<string, Language> = {
  js: JS,
  json: { comment: NOTHING, keywords: 'true false null' },
  java: {
    comment: SLASHES,
    keywords:
      'abstract boolean break byte case catch char class continue default do double else enum extends false final finally float for if implements import instanceof int interface long new null package private protected public record return short static super switch synchronized this throw throws true try var void while',
  },
  php: {
    comment: `${SLASHES}|${HASH}`,
    keywords:
      'abstract array as break case catch class const continue declare default echo else elseif exit extends false final finally fn for foreach function if implements instanceof interface isset list match namespace new null private protected public readonly require require_once return static string switch throw true try use void while',
  },
  python: {
    comment: HASH,
    keywords:
      'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield',
  },
  sh: {
    comment: HASH,
    keywords:
      'case cd curl do done echo elif else esac exit export fi for function if in npm php pip python3 read then while',
  },
  sql: { comment: String.raw`--[^\n]*`, keywords: NOTHING },
  yaml: { comment: HASH, keywords: 'true false null' },
};

/**
 * Marks comments, strings, numbers and keywords of the programs in the guides: enough to read them easily, and small
 * enough to need no library. The text of an unknown language is only escaped.
 */
export function highlight(code: string, name: string): string {
  const language = LANGUAGES[name];
  if (!language) return escapeHtml(code);
  let html = '';
  let end = 0;
  for (const { index, 0: text, groups = {} } of code.matchAll(patternOf(language))) {
    const kind = Object.keys(groups).find((group) => groups[group] !== undefined);
    html += `${escapeHtml(code.slice(end, index))}<span class="code-${kind}">${escapeHtml(text)}</span>`;
    end = index + text.length;
  }
  return html + escapeHtml(code.slice(end));
}

function patternOf({ comment, keywords }: Language): RegExp {
  const words = String.raw`(?<![\w$@-])(?:${keywords.replaceAll(' ', '|')})(?![\w-])`;
  return new RegExp(
    `(?<comment>${comment})|(?<string>${STRING})|(?<keyword>${words})|(?<number>${NUMBER})`,
    'gm',
  );
}
