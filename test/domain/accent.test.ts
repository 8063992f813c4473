import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { closestReadable, contrast, deriveAccent, THEMES, worstPair } from '../../src/domain/accent.ts';

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

test('the default accent is accepted', () => {
  assert.equal(worstPair(deriveAccent(tokenIn(LIGHT, 'accent') ?? '')), undefined);
});

test('a light color is unreadable on light pages, and its closest readable shade is suggested', () => {
  const pair = worstPair(deriveAccent('#ffcc00'));
  assert.equal(pair?.theme, 'light');
  assert.ok(pair.ratio < 1.6);
  const suggested = closestReadable('#ffcc00');
  assert.equal(worstPair(deriveAccent(suggested)), undefined);
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(suggested.slice(at, at + 2), 16),
  );
  assert.ok(red > green && green > blue + 50, `${suggested} is no shade of yellow`);
});

test('every color is either readable in light and dark mode, or has a readable shade', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xff_ff_ff }), (number) => {
      const color = `#${number.toString(16).padStart(6, '0')}`;
      const suggested = worstPair(deriveAccent(color)) === undefined ? color : closestReadable(color);
      assert.equal(worstPair(deriveAccent(suggested)), undefined);
    }),
    { numRuns: 200 },
  );
});
