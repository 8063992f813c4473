/** Measures texts for an image, all of them with one renderer, because each renderer loads all fonts. */
import { escapeHtml } from '../layout/html.ts';
import { FONTS, type FontText, type Measure } from './card-text.ts';

/** An image in the renderer. `toString` returns it with all texts as paths; a text without a font has none. */
export type SvgImage = { toString(): string; render(): { asPng(): Uint8Array } };
export type OpenSvg = (svg: string, fonts: { usesSystem: boolean }) => SvgImage;

const SIZE = 100;
const SENTINEL = '.';
/** The space between two letters of the system's fonts, which a bounding box excludes. */
const SYSTEM_BEARING = 0.08;

/** No font has this character, so it is drawn as the box that stands for characters without a font. */
const WITHOUT_FONT: FontText = { text: '\u{10FFFD}', font: 'system' };

/**
 * Texts that only a font of the system could have are measured as null if `usesSystem` is false, or if no font has all of
 * their characters.
 */
export function measureTexts(
  texts: readonly FontText[],
  openSvg: OpenSvg,
  { usesSystem }: { usesSystem: boolean },
): Measure {
  const measured = new Map<string, FontText>();
  for (const one of texts) if (usesSystem || one.font !== 'system') measured.set(keyOf(one), one);
  const drawn = [...measured.values()].flatMap((one) => [
    drawText('alone', one),
    ...(one.font === 'system' ? [] : [drawText('enclosed', enclose(one)), drawText('enclosed', empty(one))]),
  ]);
  const needsSystem = [...measured.values()].some(({ font }) => font === 'system');
  if (needsSystem) drawn.push(drawText('alone', WITHOUT_FONT));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1">${[...new Set(drawn)].join('')}</svg>`;
  const paths = pathsOf(openSvg(svg, { usesSystem: needsSystem }).toString());
  const widthOf = (id: string) => widthOfPath(paths.get(id));
  const [box] = shapesOf(paths.get(idOf('alone', WITHOUT_FONT)) ?? '');

  return (text, font) => {
    const one = { text, font };
    const alone = widthOf(idOf('alone', one));
    if (alone === undefined) return null;
    if (font === 'system') {
      const hasBox = box !== undefined && shapesOf(paths.get(idOf('alone', one)) ?? '').includes(box);
      return hasBox ? null : alone / SIZE + SYSTEM_BEARING;
    }
    // A bounding box excludes side bearings, so the text is measured between two full stops. Some fonts have none.
    const enclosed = widthOf(idOf('enclosed', enclose(one))) ?? 0;
    return Math.max(alone, enclosed - (widthOf(idOf('enclosed', empty(one))) ?? 0)) / SIZE;
  };
}

const enclose = ({ text, font }: FontText): FontText => ({ text: SENTINEL + text + SENTINEL, font });
const empty = ({ font }: FontText): FontText => ({ text: SENTINEL + SENTINEL, font });
const keyOf = ({ text, font }: FontText): string => `${font} ${text}`;
const idOf = (kind: 'alone' | 'enclosed', one: FontText): string =>
  `${kind}-${Buffer.from(keyOf(one)).toString('hex')}`;

function drawText(kind: 'alone' | 'enclosed', one: FontText): string {
  return `<text id="${idOf(kind, one)}" x="0" y="${SIZE}" font-family="${FONTS[one.font]}" font-weight="700" font-size="${SIZE}" xml:space="preserve">${escapeHtml(one.text)}</text>`;
}

/** The path of each group, by its id, in the output of the renderer: a line per element. */
function pathsOf(svg: string): Map<string, string> {
  const paths = new Map<string, string>();
  let id = '';
  for (const line of svg.split('\n')) {
    id = /<g id="([^"]+)"/.exec(line)?.[1] ?? id;
    const path = / d="([^"]+)"/.exec(line)?.[1];
    if (path !== undefined) paths.set(id, path);
  }
  return paths;
}

function coordinatesOf(path: string): number[] {
  return (path.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
}

/** Coordinates are in pairs. */
function widthOfPath(path: string | undefined): number | undefined {
  if (path === undefined) return undefined;
  const xs = coordinatesOf(path).filter((_, index) => index % 2 === 0);
  return Math.max(...xs) - Math.min(...xs);
}

/** Each closed line of a path, wherever it is on the line of text. */
function shapesOf(path: string): string[] {
  return path.split(/(?=M)/).map((part) => {
    const coordinates = coordinatesOf(part);
    const [start = 0] = coordinates;
    return coordinates.map((value, index) => Math.round(index % 2 === 0 ? value - start : value)).join(' ');
  });
}
