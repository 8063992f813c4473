/** A small image with the number of votes, for websites and README files. */

import type { Guild } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { graphemesOf } from '../../domain/text/text.ts';
import { votePath } from '../../domain/votes/vote-link.ts';
import { copyButton } from '../layout/copy-button.ts';
import { escapeHtml, type Html, html } from '../layout/html.ts';
import { badgePath } from '../paths.ts';
import { sharingMessages } from './messages.ts';

/** `progress` is the part of a goal that is reached, from 0 to 1; null for a badge without a goal. */
type Badge = { name: string; votes: string; label: string; color: string; progress: number | null };

const MAX_GRAPHEMES = 32;
const PADDING = 10;

export function renderBadge({ name, votes, label, color, progress }: Badge): string {
  const left = shorten(name);
  const [leftText, rightText] = [widthOf(left), widthOf(votes)];
  const [leftWidth, rightWidth] = [leftText + 2 * PADDING, rightText + 2 * PADDING];
  const width = leftWidth + rightWidth;
  const text = (content: string, x: number, length: number) =>
    html`<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs" direction="ltr" unicode-bidi="isolate">${content}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" viewBox="0 0 ${width} 20" role="img" aria-label="${label}"><title>${label}</title>
<clipPath id="r"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${leftWidth}" height="20" fill="#3b3d4a"/><rect x="${leftWidth}" width="${rightWidth}" height="20" fill="${color}"/>${progress !== null && html`<rect x="${leftWidth}" y="17" width="${rightWidth * progress}" height="3" fill="#fff" fill-opacity="0.7"/>`}</g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">
${text(left, leftWidth / 2, leftText)}
${text(votes, leftWidth + rightWidth / 2, rightText)}
</g></svg>
`.text;
}

function shorten(name: string): string {
  const graphemes = graphemesOf(name);
  return graphemes.length <= MAX_GRAPHEMES ? name : `${graphemes.slice(0, MAX_GRAPHEMES - 1).join('')}…`;
}

/** The approximate width in Verdana at 11 px. The image sets `textLength`, so other fonts fit too. */
function widthOf(text: string): number {
  const widths = graphemesOf(text).map((segment) => {
    if (
      /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(
        segment,
      )
    )
      return 12;
    if (/^[ijl.,:;'|!()[\]fIt \u00A0\u202F-]/.test(segment)) return 4.4;
    if (/^[mwMW@%]/.test(segment)) return 10.4;
    return /^[\p{Lu}\p{N}]/u.test(segment) ? 7.5 : 6.7;
  });
  return Math.ceil(widths.reduce((sum, width) => sum + width, 0));
}

export function voteButtonView(
  locale: Locale,
  site: string,
  guild: Pick<Guild, 'guildId' | 'name'>,
  { isPrimary = false } = {},
): Html {
  const text = sharingMessages[locale];
  const image = badgePath(guild.guildId, locale);
  const snippets = snippetsFor(locale, site, guild);
  return html`<section class="card" id="vote-button" aria-labelledby="vote-button-title">
<div class="stack"><h2 id="vote-button-title">${text.title}</h2><p class="muted measure">${text.hint}</p>
<p><a href="${votePath(guild.guildId)}"><img src="${image}" alt="${text.alt(guild.name)}" height="20"></a></p></div>
${Object.entries(snippets).map(([format, snippet], index) => snippetBlock(locale, format as SnippetFormat, snippet, isPrimary && index === 0))}
</section>`;
}

function snippetBlock(locale: Locale, format: SnippetFormat, snippet: string, isPrimary: boolean): Html {
  const id = `vote-button-${format}`;
  return html`<div class="stack part"><h3>${SNIPPET_NAMES[format]}</h3>
<pre class="wrap"><code id="${id}">${snippet}</code></pre>
<div class="row">${copyButton(locale, id, sharingMessages[locale].copy[format], { isPrimary })}</div></div>`;
}

export function snippetsFor(
  locale: Locale,
  site: string,
  { guildId, name }: Pick<Guild, 'guildId' | 'name'>,
): Record<SnippetFormat, string> {
  const [link, image] = [site + votePath(guildId), site + badgePath(guildId, locale)];
  const alt = sharingMessages[locale].alt(name);
  return {
    html: `<a href="${escapeHtml(link)}"><img src="${escapeHtml(image)}" alt="${escapeHtml(alt)}" height="20"></a>`,
    markdown: `[![${alt.replace(/[\\[\]<>*_\x60!]/g, '\\$&')}](${image})](${link})`,
    bbcode: `[url=${link}][img]${image}[/img][/url]`,
  };
}

type SnippetFormat = 'html' | 'markdown' | 'bbcode';

const SNIPPET_NAMES: Record<SnippetFormat, string> = {
  html: 'HTML',
  markdown: 'Markdown',
  bbcode: 'BBCode',
};
