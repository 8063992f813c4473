/**
 * The colors that a site derives from one accent color, with enough contrast in every pair they are used in.
 *
 *   const palette = deriveAccent('#ffcc00');
 *   palette.light.accent;   // '#856b00': the given color would be unreadable on light pages
 */

/** The colors of theme.css that the accent is used with. */
export const THEMES = {
  light: {
    bg: '#f6f6fa',
    surface: '#ffffff',
    'surface-2': '#f0f0f6',
    'surface-hover': '#fafaff',
    text: '#1a1b25',
    muted: '#5b5d70',
  },
  dark: {
    bg: '#101118',
    surface: '#191b25',
    'surface-2': '#22242f',
    'surface-hover': '#1d1f2a',
    text: '#ecedf4',
    muted: '#a3a6ba',
  },
} as const;

export type Theme = keyof typeof THEMES;

/** Custom properties of theme.css, without the leading dashes. */
export type AccentColors = Record<
  'accent' | 'accent-strong' | 'accent-soft' | 'accent-mid' | 'on-accent',
  string
>;

export type AccentPalette = Record<Theme, AccentColors>;

export type ColorPair = {
  theme: Theme;
  use: string;
  foreground: string;
  background: string;
  ratio: number;
  needed: number;
};

/** WCAG 2.2, level AA: text, and parts of the interface that must be recognized. */
const TEXT = 4.5;
const SHAPE = 3;

const WHITE = '#ffffff';
const BLACK = '#000000';
const STEPS = 128;

export const ACCENT_PATTERN = /^#[0-9a-f]{6}$/i;

/**
 * Light pages use the given color or, if it is too bright to read, the closest darker shade with enough contrast; dark
 * pages use the closest lighter one.
 */
export function deriveAccent(color: string): AccentPalette {
  const light = firstShade(color, BLACK, (shade) => pairsOf('light', lightColors(shade)).every(isReadable));
  const dark = firstShade(color, WHITE, (shade) => pairsOf('dark', darkColors(shade)).every(isReadable));
  return { light: lightColors(light), dark: darkColors(dark) };
}

/** Every pair of colors that the palette is used in, in both themes. */
export function accentPairs(palette: AccentPalette): ColorPair[] {
  return [...pairsOf('light', palette.light), ...pairsOf('dark', palette.dark)];
}

function firstShade(from: string, to: string, isGood: (shade: string) => boolean): string {
  for (let step = 0; step < STEPS; step += 1) {
    const shade = mix(from, to, step / STEPS);
    if (isGood(shade)) return shade;
  }
  return to;
}

function lightColors(accent: string): AccentColors {
  return {
    accent: accent.toLowerCase(),
    'accent-strong': mix(accent, BLACK, 0.2),
    'accent-soft': mix(WHITE, accent, 0.1),
    'accent-mid': mix(WHITE, accent, 0.42),
    'on-accent': WHITE,
  };
}

function darkColors(accent: string): AccentColors {
  return {
    accent,
    'accent-strong': mix(accent, WHITE, 0.25),
    'accent-soft': mix(THEMES.dark.surface, accent, 0.12),
    'accent-mid': mix(accent, BLACK, 0.35),
    'on-accent': '#14121f',
  };
}

/** Every use of an accent color in the style sheets. */
function pairsOf(theme: Theme, colors: AccentColors): ColorPair[] {
  const tokens = { ...THEMES[theme], ...colors };
  const pair = (
    use: string,
    foreground: keyof typeof tokens,
    background: keyof typeof tokens,
    needed = TEXT,
  ): ColorPair => ({
    theme,
    use,
    foreground: tokens[foreground],
    background: tokens[background],
    ratio: contrast(tokens[foreground], tokens[background]),
    needed,
  });
  return [
    pair('links on the page background', 'accent', 'bg'),
    pair('links on cards', 'accent', 'surface'),
    pair('links on code and table heads', 'accent', 'surface-2'),
    pair('links on hovered rows', 'accent', 'surface-hover'),
    pair('hovered links on the page background', 'accent-strong', 'bg'),
    pair('hovered links on cards', 'accent-strong', 'surface'),
    pair('hovered links on code and table heads', 'accent-strong', 'surface-2'),
    pair('the text of buttons', 'on-accent', 'accent'),
    pair('the text of hovered buttons', 'on-accent', 'accent-strong'),
    pair('the text of badges', 'accent-strong', 'accent-soft'),
    pair('text on a tinted background', 'text', 'accent-soft'),
    pair('secondary text on a tinted background', 'muted', 'accent-soft'),
    pair('the border of a selected option', 'accent', 'accent-soft', SHAPE),
  ];
}

function isReadable({ ratio, needed }: ColorPair): boolean {
  return ratio >= needed;
}

/** The contrast ratio of WCAG, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** `share` 0 is `from`, 1 is `to`. */
export function mix(from: string, to: string, share: number): string {
  const target = channels(to);
  const mixed = channels(from).map((value, index) =>
    Math.round(value + ((target[index] ?? 0) - value) * share),
  );
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
