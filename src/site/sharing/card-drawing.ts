/** The image of a community for link previews, as SVG that a renderer turns into a PNG file. */
import { mix } from '../../domain/accent.ts';
import { escapeHtml } from '../layout/html.ts';
import { measureTexts, type OpenSvg } from './card-measure.ts';
import {
  FONTS,
  isRecognizable,
  layOut,
  type Measure,
  type PlacedRun,
  type TextBlock,
  textsToMeasure,
} from './card-text.ts';

const CARD_SIZE = { width: 1200, height: 630 };

export type CardContent = {
  name: string;
  /** Shown if no font has most characters of the name. */
  tags: readonly string[];
  /** Shown if there are no tags either. */
  fallbackName: string;
  initials: string;
  /** A `data:` URL. */
  icon: string | null;
  /** A `data:` URL of the logo of the site, shown if no font has the initials. */
  logo: string;
  /** A `data:` URL of a picture behind the upper part. */
  banner: string | null;
  /** Whether fonts of the system are used for scripts that ours do not cover. */
  usesSystemFonts: boolean;
  siteName: string;
  accent: string;
  votes: string;
  votesLabel: string;
  rank: string | null;
  rankLabel: string;
  /** `progress` is the part that is reached, from 0 to 1. Null: no goal. */
  goal: { text: string; progress: number } | null;
};

const COLORS = { top: '#22242f', bottom: '#101118', text: '#ecedf4', muted: '#a3a6ba', track: '#3b3d4a' };
const MARGIN = 80;
const INNER_WIDTH = CARD_SIZE.width - 2 * MARGIN;
const ICON_SIZE = 160;
const NAME_CENTER = 372;
const FIGURES_BASELINE = 556;
/** The name and the figures are higher by this much if there is a goal below them. */
const GOAL_SPACE = 24;
const GOAL = { barWidth: 420, barHeight: 18, y: 570, gap: 24, size: 30 };
const BANNER_HEIGHT = 300;
/** The color of the background at the lower edge of the banner. */
const BELOW_BANNER = mix(COLORS.top, COLORS.bottom, BANNER_HEIGHT / CARD_SIZE.height);
const LINE_HEIGHT = 1.2;
const NAME_STYLES = [
  { size: 92, maxLines: 1 },
  { size: 68, maxLines: 2 },
  { size: 54, maxLines: 3 },
];

export function drawCard(content: CardContent, openSvg: OpenSvg): Uint8Array {
  const { usesSystemFonts, accent } = content;
  const measure = measureTexts(textsOf(content).flatMap(textsToMeasure), openSvg, {
    usesSystem: usesSystemFonts,
  });
  const name = layOutName(content, measure);
  const site = layOut(content.siteName, { maxWidth: 600, styles: [{ size: 34, maxLines: 1 }] }, measure);
  const siteWidth = site.lines[0]?.width ?? 0;
  const usesSystem = [...name.lines, ...site.lines].some(({ runs }) =>
    runs.some(({ family }) => family === FONTS.system),
  );
  const image = `<defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="${COLORS.top}"/><stop offset="1" stop-color="${COLORS.bottom}"/></linearGradient>
<linearGradient id="f" x2="0" y2="1"><stop stop-color="${COLORS.top}" stop-opacity="0.55"/><stop offset="1" stop-color="${BELOW_BANNER}"/></linearGradient>
<clipPath id="c"><rect x="${MARGIN}" y="72" width="${ICON_SIZE}" height="${ICON_SIZE}" rx="36"/></clipPath></defs>
<rect width="100%" height="100%" fill="url(#g)"/>${drawBanner(content)}<rect width="12" height="100%" fill="${accent}"/>
${drawIcon(content, measure)}
${drawBlock(site, { x: CARD_SIZE.width - MARGIN - siteWidth, y: 108, width: siteWidth, color: content.banner === null ? COLORS.muted : COLORS.text })}
${drawBlock(name, { x: MARGIN, y: firstBaseline(name, content), width: INNER_WIDTH, color: COLORS.text })}
${drawFigures(content, measure)}
${drawGoal(content, measure)}`;
  const { width, height } = CARD_SIZE;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${image}</svg>`;
  return openSvg(svg, { usesSystem }).render().asPng();
}

function textsOf(content: CardContent): string[] {
  const { name, tags, fallbackName, initials, siteName, votes, votesLabel, rank, rankLabel, goal } = content;
  return [
    ...[name, ...tags.map((tag) => `#${tag}`), fallbackName, initials, siteName],
    ...[votes, votesLabel, rank ?? '', rankLabel, goal?.text ?? ''],
  ];
}

/** Centers the name between the icon and the figures. */
function firstBaseline({ lines, size }: TextBlock, { goal }: CardContent): number {
  const center = goal === null ? NAME_CENTER : NAME_CENTER - GOAL_SPACE;
  return center - (lines.length * size * LINE_HEIGHT) / 2 + size * 0.95;
}

function layOutName({ name, tags, fallbackName }: CardContent, measure: Measure): TextBlock {
  const space = { maxWidth: INNER_WIDTH, styles: NAME_STYLES };
  const shownTags = tags.map((tag) => `#${tag}`).filter((tag) => isRecognizable(tag, measure));
  const shown = [name, shownTags.join(' ')].find((text) => isRecognizable(text, measure));
  return layOut(shown ?? fallbackName, space, measure);
}

/** Fades out downwards, and is dark enough for the name of the site. */
function drawBanner({ banner }: CardContent): string {
  if (banner === null) return '';
  const area = `width="${CARD_SIZE.width}" height="${BANNER_HEIGHT}"`;
  return `<image href="${escapeHtml(banner)}" ${area} preserveAspectRatio="xMidYMid slice"/><rect ${area} fill="url(#f)"/>`;
}

function drawIcon({ icon, initials, logo, accent, banner }: CardContent, measure: Measure): string {
  const image = (href: string, fit: 'slice' | 'meet') =>
    `<image href="${escapeHtml(href)}" x="${MARGIN}" y="72" width="${ICON_SIZE}" height="${ICON_SIZE}" preserveAspectRatio="xMidYMid ${fit}" clip-path="url(#c)"/>`;
  if (icon !== null) return image(icon, 'slice');
  if (initials !== '' && !isRecognizable(initials, measure)) return image(logo, 'meet');
  const block = layOut(initials, { maxWidth: 130, styles: [{ size: 68, maxLines: 1 }] }, measure);
  const width = block.lines[0]?.width ?? 0;
  const x = MARGIN + (ICON_SIZE - width) / 2;
  const tile = `<rect x="${MARGIN}" y="72" width="${ICON_SIZE}" height="${ICON_SIZE}" rx="36"`;
  return `${banner === null ? '' : `${tile} fill="${COLORS.top}"/>`}${tile} fill="${accent}" fill-opacity="0.22"/>
${drawBlock(block, { x, y: 176, width, color: accent })}`;
}

/** The width of a number varies, so its label starts where it ends. */
function drawFigures(content: CardContent, measure: Measure): string {
  const { votes, votesLabel, rank, rankLabel, goal, accent } = content;
  let x = MARGIN;
  const y = goal === null ? FIGURES_BASELINE : FIGURES_BASELINE - GOAL_SPACE;
  const figure = (text: string, size: number, color: string, gap: number): string => {
    const block = layOut(text, { maxWidth: INNER_WIDTH, styles: [{ size, maxLines: 1 }] }, measure);
    const width = block.lines[0]?.width ?? 0;
    const drawn = drawBlock(block, { x, y, width, color });
    x += width + gap;
    return drawn;
  };
  const shown = [figure(votes, 64, accent, 16), figure(votesLabel, 34, COLORS.muted, 64)];
  if (rank !== null) shown.push(figure(rank, 64, accent, 16), figure(rankLabel, 34, COLORS.muted, 0));
  return shown.join('\n');
}

/** A bar, and its figures beside it, below the other figures. */
function drawGoal({ goal, accent }: CardContent, measure: Measure): string {
  if (goal === null) return '';
  const { barWidth, barHeight, y, gap, size } = GOAL;
  const x = MARGIN + barWidth + gap;
  const space = { maxWidth: CARD_SIZE.width - MARGIN - x, styles: [{ size, maxLines: 1 }] };
  const block = layOut(goal.text, space, measure);
  const bar = (width: number, fill: string) =>
    `<rect x="${MARGIN}" y="${y}" width="${width}" height="${barHeight}" rx="${barHeight / 2}" fill="${fill}"/>`;
  // Less than its height would not be round.
  const reached = goal.progress === 0 ? 0 : Math.max(barHeight, goal.progress * barWidth);
  return `${bar(barWidth, COLORS.track)}${bar(reached, accent)}
${drawBlock(block, { x, y: y + barHeight - 1, width: block.lines[0]?.width ?? 0, color: COLORS.text })}`;
}

type Area = { x: number; y: number; width: number; color: string };

/** `y` is the first baseline. Text that runs from right to left is aligned to the right. */
function drawBlock({ lines, size, isRtl }: TextBlock, { x, y, width, color }: Area): string {
  return lines
    .flatMap((line, index) => {
      const start = isRtl ? x + width - line.width : x;
      return line.runs.map((run) => drawRun(run, start, y + index * size * LINE_HEIGHT, color));
    })
    .join('\n');
}

function drawRun({ text, family, size, x }: PlacedRun, start: number, y: number, color: string): string {
  return `<text x="${start + x}" y="${y}" font-family="${family}" font-weight="700" font-size="${size}" fill="${color}" xml:space="preserve">${escapeHtml(text)}</text>`;
}
