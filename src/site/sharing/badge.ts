/** A small image with the number of votes, for websites and README files. */
import { html } from '../layout/html.ts';

export type Badge = { name: string; votes: string; label: string; color: string };

const MAX_GRAPHEMES = 32;
const PADDING = 10;
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function renderBadge({ name, votes, label, color }: Badge): string {
  const left = shorten(name);
  const [leftText, rightText] = [widthOf(left), widthOf(votes)];
  const [leftWidth, rightWidth] = [leftText + 2 * PADDING, rightText + 2 * PADDING];
  const width = leftWidth + rightWidth;
  const text = (content: string, x: number, length: number) =>
    html`<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs" direction="ltr" unicode-bidi="isolate">${content}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" viewBox="0 0 ${width} 20" role="img" aria-label="${label}"><title>${label}</title>
<clipPath id="r"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${leftWidth}" height="20" fill="#3b3d4a"/><rect x="${leftWidth}" width="${rightWidth}" height="20" fill="${color}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">
${text(left, leftWidth / 2, leftText)}
${text(votes, leftWidth + rightWidth / 2, rightText)}
</g></svg>
`.text;
}

function shorten(name: string): string {
  const graphemes = [...GRAPHEMES.segment(name)].map(({ segment }) => segment);
  return graphemes.length <= MAX_GRAPHEMES ? name : `${graphemes.slice(0, MAX_GRAPHEMES - 1).join('')}…`;
}

/** About the width in Verdana at 11 px. The image fixes the length, so another font fits too. */
function widthOf(text: string): number {
  const widths = [...GRAPHEMES.segment(text)].map(({ segment }) => {
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
