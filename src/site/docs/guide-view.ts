/** The guides as HTML. */
import { readFileSync } from 'node:fs';
import { GUIDES, type GuideName } from '../../api/openapi/introduction.ts';
import type { Locale } from '../../domain/locale.ts';
import { escapeHtml, Html } from '../layout/html.ts';
import type { PageContext } from '../layout/page.ts';
import { codeBlock, guidePath } from './pages.ts';

const DIRECTORY = new URL('../../../docs/guides/', import.meta.url);

/** The URL of the service in the guides, which is replaced by that of this site. */
const EXAMPLE_ORIGIN = 'https://votes.example.org';

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
  const { Marked } = await import('marked');
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
