/**
 * Lays out a line of text for an image. The renderer cannot mix fonts reliably within a text, so the text is split into
 * runs of one font and one direction, each with its own position.
 *
 *   const block = layOut('Les Été 🎮', { maxWidth: 1040, styles: [{ size: 84, maxLines: 1 }] }, measure);
 */
export const FONTS = {
  text: 'Noto Sans',
  emoji: 'Noto Emoji',
  symbols: 'Noto Sans Symbols 2',
  arabic: 'Noto Sans Arabic',
  hebrew: 'Noto Sans Hebrew',
  /** Any font of the system that has the characters. */
  system: 'sans-serif',
};

export type Font = keyof typeof FONTS;
/** `width` is that of one pixel of size. `isRtl` is null for text without a direction. */
type Run = { text: string; font: Font; width: number; isRtl: boolean | null };
export type PlacedRun = { text: string; family: string; size: number; x: number };
export type TextBlock = { size: number; isRtl: boolean; lines: { runs: PlacedRun[]; width: number }[] };
/** The width of a text at one pixel of size; null if no font has its characters. */
export type Measure = (text: string, font: Font) => number | null;
type TextStyle = { size: number; maxLines: number };

const SPACE: Run = { text: ' ', font: 'text', width: 0.26, isRtl: null };
/** Emoji are drawn larger than letters of the same size. */
const EMOJI_SCALE = 0.85;
const EMOJI_WIDTH = 1.27 * EMOJI_SCALE;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const EMOJI =
  /\p{Emoji_Presentation}|\uFE0F|\u20E3|\p{Regional_Indicator}|(?=[\u2600-\u{1FFFF}])\p{Extended_Pictographic}/u;
const SYMBOL = /^[\u2190-\u21FF\u2300-\u23FF\u2460-\u24FF\u2500-\u27BF\u2900-\u297F\u2B00-\u2BFF]/;
const COVERED = /^[\u0021-\u052F\u1E00-\u1FFF\u2000-\u218F\u2200-\u22FF]/;
const INVISIBLE = /[\p{Cc}\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** Uses the first style that the text fits into, or truncates it with an ellipsis in the last one. */
export function layOut(
  text: string,
  { maxWidth, styles }: { maxWidth: number; styles: readonly TextStyle[] },
  measure: Measure,
): TextBlock {
  // Letters in mathematical or full-width form, which are popular in names, become ordinary ones.
  const words = text.normalize('NFKC').replaceAll(INVISIBLE, '').split(/\s+/u).filter(Boolean);
  const runs = words.map((word) => toRuns(word, measure)).filter((word) => word.length > 0);
  const isRtl = runs.flat().find((run) => run.isRtl !== null)?.isRtl ?? false;
  const last = styles.at(-1) ?? { size: 1, maxLines: 1 };
  for (const style of styles) {
    const lines = wrap(runs, maxWidth / style.size, measure);
    const fits = lines.length <= style.maxLines;
    if (!fits && style !== last) continue;
    const shown = fits ? lines : shorten(lines, style.maxLines, maxWidth / style.size, measure);
    return { size: style.size, isRtl, lines: shown.map((line) => place(line, style.size, isRtl)) };
  }
  return { size: last.size, isRtl, lines: [] };
}

function fontOf(grapheme: string): Font {
  if (EMOJI.test(grapheme)) return 'emoji';
  if (SYMBOL.test(grapheme)) return 'symbols';
  if (/^\p{Script=Arabic}/u.test(grapheme)) return 'arabic';
  if (/^\p{Script=Hebrew}/u.test(grapheme)) return 'hebrew';
  return COVERED.test(grapheme) ? 'text' : 'system';
}

/** Omits characters that no font has. */
function toRuns(word: string, measure: Measure): Run[] {
  const runs: Pick<Run, 'text' | 'font'>[] = [];
  for (const { segment } of GRAPHEMES.segment(word)) {
    const font = fontOf(segment);
    const previous = runs.at(-1);
    if (previous?.font === font && font !== 'emoji') previous.text += segment;
    else runs.push({ text: segment, font });
  }
  return runs.flatMap(({ text, font }) => {
    const width = font === 'emoji' ? EMOJI_WIDTH : measure(text, font);
    return width === null ? [] : [{ text, font, width, isRtl: directionOf(text, font) }];
  });
}

function directionOf(text: string, font: Font): boolean | null {
  if (font === 'arabic' || font === 'hebrew') return true;
  return /\p{L}/u.test(text) && font !== 'emoji' ? false : null;
}

const widthOf = (runs: readonly Run[]): number => runs.reduce((sum, { width }) => sum + width, 0);

function wrap(words: readonly Run[][], maxWidth: number, measure: Measure): Run[][] {
  const lines: Run[][] = [];
  for (const word of words.flatMap((one) => split(one, maxWidth, measure))) {
    const line = lines.at(-1);
    if (line && widthOf(line) + SPACE.width + widthOf(word) <= maxWidth) line.push(SPACE, ...word);
    else lines.push([...word]);
  }
  return lines;
}

/** Splits a word that is wider than a line into pieces that fit. */
function split(word: Run[], maxWidth: number, measure: Measure): Run[][] {
  const width = widthOf(word);
  if (width <= maxWidth) return [word];
  const graphemes = word.flatMap(({ text }) => [...GRAPHEMES.segment(text)].map(({ segment }) => segment));
  // Letters differ in width, so pieces are a little shorter than the average allows.
  const perPiece = Math.max(1, Math.floor((graphemes.length * maxWidth * 0.8) / width));
  const pieces = Array.from({ length: Math.ceil(graphemes.length / perPiece) }, (_, index) =>
    graphemes.slice(index * perPiece, (index + 1) * perPiece).join(''),
  );
  return pieces.map((piece) => toRuns(piece, measure));
}

function shorten(lines: Run[][], maxLines: number, maxWidth: number, measure: Measure): Run[][] {
  const ellipsis: Run = { text: '…', font: 'text', width: measure('…', 'text') ?? 0, isRtl: null };
  const kept = lines.slice(0, maxLines);
  const last = kept.pop() ?? [];
  while (last.length > 1 && (widthOf(last) + ellipsis.width > maxWidth || last.at(-1) === SPACE)) last.pop();
  return [...kept, [...last, ellipsis]];
}

/** Positions the runs of a line from left to right. */
function place(line: readonly Run[], size: number, isRtl: boolean): TextBlock['lines'][number] {
  let x = 0;
  const runs: PlacedRun[] = [];
  for (const { text, font, width } of inVisualOrder(line, isRtl)) {
    const scale = font === 'emoji' ? EMOJI_SCALE : 1;
    if (text !== ' ') runs.push({ text, family: FONTS[font], size: size * scale, x });
    x += width * size;
  }
  return { runs, width: x };
}

/** A run without a direction takes that of its neighbors if they agree, otherwise that of the whole text. */
function inVisualOrder(line: readonly Run[], baseIsRtl: boolean): Run[] {
  const directions = line.map(({ isRtl }, index) => {
    if (isRtl !== null) return isRtl;
    const before = line.slice(0, index).findLast((run) => run.isRtl !== null)?.isRtl ?? baseIsRtl;
    const after = line.slice(index).find((run) => run.isRtl !== null)?.isRtl ?? baseIsRtl;
    return before === after ? before : baseIsRtl;
  });
  const groups: { isRtl: boolean; runs: Run[] }[] = [];
  for (const [index, run] of line.entries()) {
    const isRtl = directions[index] ?? baseIsRtl;
    const group = groups.at(-1);
    if (group?.isRtl === isRtl) group.runs.push(run);
    else groups.push({ isRtl, runs: [run] });
  }
  const ordered = groups.map(({ isRtl, runs }) => (isRtl ? runs.toReversed() : runs));
  return (baseIsRtl ? ordered.toReversed() : ordered).flat();
}
