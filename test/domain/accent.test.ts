import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { accentPairs, contrast, deriveAccent, THEMES } from '../../src/domain/accent.ts';

const CSS = readFileSync(new URL('../../src/site/public/theme.css', import.meta.url), 'utf8');
const [LIGHT = '', DARK = ''] = [...CSS.matchAll(/:root \{([^}]*)\}/g)].map(([, body]) => body);

const tokenIn = (css: string, name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(css)?.[1];

test('the contrast is calculated as in WCAG', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#777777'), 1);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

test('accents are checked against the colors of the style sheet', () => {
  for (const [theme, css] of [
    ['light', LIGHT],
    ['dark', DARK],
  ] as const) {
    for (const [name, color] of Object.entries(THEMES[theme])) assert.equal(tokenIn(css, name), color, name);
  }
});

/** The pairs of colors that are too similar to read. */
const unreadable = (color: string) =>
  accentPairs(deriveAccent(color)).filter(
    ({ foreground, background, needed }) => contrast(foreground, background) < needed,
  );

test('a readable color is used as it is on light pages', () => {
  const accent = tokenIn(LIGHT, 'accent') ?? '';
  assert.equal(deriveAccent(accent).light.accent, accent);
  assert.deepEqual(unreadable(accent), []);
});

test('a bright color becomes a darker shade of itself on light pages, and stays on dark ones', () => {
  const { light, dark } = deriveAccent('#ffcc00');
  assert.deepEqual(unreadable('#ffcc00'), []);
  assert.ok(contrast(light.accent, THEMES.light['surface-2']) >= 4.5);
  assert.equal(dark.accent, '#ffcc00');
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(light.accent.slice(at, at + 2), 16),
  );
  assert.ok(red > green && green > blue + 50, `${light.accent} is no shade of yellow`);
});

test('every color is readable in light and dark mode', () => {
  for (const color of ['#ffffff', '#000000', '#00ff00', '#00ffff', '#ffff00', '#ff00ff'])
    assert.deepEqual(unreadable(color), [], color);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xff_ff_ff }), (number) => {
      assert.deepEqual(unreadable(`#${number.toString(16).padStart(6, '0')}`), []);
    }),
    { numRuns: 200 },
  );
});
