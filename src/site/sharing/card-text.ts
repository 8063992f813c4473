/**
 * Lays out a line of text for an image. The renderer cannot mix fonts reliably within a text, so the text is split into
 * runs of one font and one direction, each with its own position.
 *
 *   const measure = measureTexts(textsToMeasure('Les Été 🎮'), openSvg);
 *   const block = layOut('Les Été 🎮', { maxWidth: 1040, styles: [{ size: 84, maxLines: 1 }] }, measure);
 */
import { graphemesOf } from '../../domain/text/text.ts';
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
export type FontText = { text: string; font: Font };
/** `width` is that of one pixel of size. `isRtl` is null for text without a direction. */
type Run = FontText & { width: number; isRtl: boolean | null };
export type PlacedRun = { text: string; family: string; size: number; x: number };
export type TextBlock = { size: number; isRtl: boolean; lines: { runs: PlacedRun[]; width: number }[] };
/**
 * The width of a text at one pixel of size; null if no font has its characters. Measuring is slow, so everything is
 * measured at once before the layout: `layOut` asks only for what `textsToMeasure` returns.
 */
export type Measure = (text: string, font: Font) => number | null;
type TextStyle = { size: number; maxLines: number };

const SPACE: Run = { text: ' ', font: 'text', width: 0.26, isRtl: null };
const ELLIPSIS: FontText = { text: '…', font: 'text' };
/** Emoji are drawn larger than letters of the same size. */
const EMOJI_SCALE = 0.85;
const EMOJI_WIDTH = 1.27 * EMOJI_SCALE;

const EMOJI =
  /\p{Emoji_Presentation}|\uFE0F|\u20E3|\p{Regional_Indicator}|(?=[\u2600-\u{1FFFF}])\p{Extended_Pictographic}/u;
const SYMBOL = /^[\u2190-\u21FF\u2300-\u23FF\u2460-\u24FF\u2500-\u27BF\u2900-\u297F\u2B00-\u2BFF]/;
const COVERED = /^[\u0021-\u052F\u1E00-\u1FFF\u2000-\u218F\u2200-\u22FF]/;
const INVISIBLE = /[\p{Cc}\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** Everything whose width `layOut` needs for this text. */
export function textsToMeasure(text: string): FontText[] {
  const runs = wordsOf(text)
    .flatMap(splitByFont)
    .filter(({ font }) => font !== 'emoji');
  const letters = runs
    .filter(isMeasuredByLetter)
    .flatMap(({ text: run, font }) => graphemesOf(run).map((grapheme) => ({ text: grapheme, font })));
  return [...runs, ...letters, ELLIPSIS];
}

/** Uses the first style that the text fits into, or truncates it with an ellipsis in the last one. */
export function layOut(
  text: string,
  { maxWidth, styles }: { maxWidth: number; styles: readonly TextStyle[] },
  measure: Measure,
): TextBlock {
  const words = wordsOf(text).map((word) => toRuns(word, measure));
  const shownWords = words.filter((word) => word.length > 0);
  const isRtl = shownWords.flat().find((run) => run.isRtl !== null)?.isRtl ?? false;
  const last = styles.at(-1) ?? { size: 1, maxLines: 1 };
  for (const style of styles) {
    const lines = wrap(shownWords, maxWidth / style.size, measure);
    const fits = lines.length <= style.maxLines;
    if (!fits && style !== last) continue;
    const shown = fits ? lines : shorten(lines, style.maxLines, maxWidth / style.size, measure);
    return { size: style.size, isRtl, lines: shown.map((line) => place(line, style.size, isRtl)) };
  }
  return { size: last.size, isRtl, lines: [] };
}

/** Whether the fonts have at least half of the letters and digits, so that what is left of the text can be recognized. */
export function isRecognizable(text: string, measure: Measure): boolean {
  const words = wordsOf(text);
  const drawn = words.flatMap((word) => toRuns(word, measure).map((run) => run.text));
  return lettersIn(drawn.join('')) * 2 >= lettersIn(words.join('')) && drawn.length > 0;
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** Letters in mathematical or full-width form, which are popular in names, become ordinary ones. */
function wordsOf(text: string): string[] {
  return text.normalize('NFKC').replaceAll(INVISIBLE, '').split(/\s+/u).filter(Boolean);
}

function fontOf(grapheme: string): Font {
  if (EMOJI.test(grapheme)) return 'emoji';
  if (SYMBOL.test(grapheme)) return 'symbols';
  if (/^\p{Script=Arabic}/u.test(grapheme)) return 'arabic';
  if (/^\p{Script=Hebrew}/u.test(grapheme)) return 'hebrew';
  return COVERED.test(grapheme) ? 'text' : 'system';
}

/** Runs of one font; each emoji is a run. */
function splitByFont(word: string): FontText[] {
  const runs: FontText[] = [];
  for (const grapheme of graphemesOf(word)) {
    const font = fontOf(grapheme);
    const previous = runs.at(-1);
    if (previous?.font === font && font !== 'emoji') previous.text += grapheme;
    else runs.push({ text: grapheme, font });
  }
  return runs;
}

/**
 * A letter of the system's fonts is measured as part of its run only: for each text the renderer searches all of these
 * fonts.
 */
function isMeasuredByLetter({ font }: FontText): boolean {
  return font !== 'emoji' && font !== 'system';
}

/** Omits characters that no font has. */
function toRuns(word: string, measure: Measure): Run[] {
  return splitByFont(word).flatMap(({ text, font }) => {
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

/** Splits a word that is wider than a line into pieces that fit, with room for an ellipsis. */
function split(word: Run[], lineWidth: number, measure: Measure): Run[][] {
  if (widthOf(word) <= lineWidth) return [word];
  const maxWidth = lineWidth - ellipsisRun(measure).width;
  const pieces: Run[][] = [];
  let room = 0;
  for (const letter of word.flatMap((run) => lettersOf(run, measure))) {
    const piece = pieces.at(-1);
    const previous = piece?.at(-1);
    if (!piece || letter.width > room) pieces.push([{ ...letter }]);
    else if (previous?.font === letter.font && letter.font !== 'emoji') {
      previous.text += letter.text;
      previous.width += letter.width;
      previous.isRtl ??= letter.isRtl;
    } else piece.push({ ...letter });
    room = maxWidth - widthOf(pieces.at(-1) ?? []);
  }
  return pieces;
}

/** Letters of a run are shaped together, so their own widths only tell how the width of the run is divided. */
function lettersOf(run: Run, measure: Measure): Run[] {
  const letters = graphemesOf(run.text).map((text) => ({
    text,
    font: run.font,
    width: (isMeasuredByLetter(run) ? measure(text, run.font) : 1) ?? 0,
    isRtl: directionOf(text, run.font),
  }));
  const scale = run.width / (widthOf(letters) || 1);
  return letters.map((letter) => ({ ...letter, width: letter.width * scale }));
}

function ellipsisRun(measure: Measure): Run {
  return { ...ELLIPSIS, width: measure(ELLIPSIS.text, ELLIPSIS.font) ?? 0, isRtl: null };
}

function shorten(lines: Run[][], maxLines: number, maxWidth: number, measure: Measure): Run[][] {
  const ellipsis = ellipsisRun(measure);
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
