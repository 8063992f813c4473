import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut, type Measure, type TextBlock, textsToMeasure } from '../../../src/site/sharing/card-text.ts';

/** Every letter is half as wide as high; there is no font for Han. */
const measure: Measure = (text) => (/\p{Script=Han}/u.test(text) ? null : [...text].length / 2);
const styles = [
  { size: 20, maxLines: 1 },
  { size: 10, maxLines: 2 },
];
const lay = (text: string, maxWidth = 100) => layOut(text, { maxWidth, styles }, measure);
const words = ({ lines }: TextBlock) => lines.map(({ runs }) => runs.map(({ text }) => text).join(' '));

test('a short text stays on one line at the largest size', () => {
  const block = lay('Demo');
  assert.equal(block.size, 20);
  assert.deepEqual(block.lines, [
    { width: 40, runs: [{ text: 'Demo', family: 'Noto Sans', size: 20, x: 0 }] },
  ]);
});

test('a longer text is wrapped at a smaller size, and one that is too long ends with an ellipsis', () => {
  assert.deepEqual(words(lay('one two three four five')), ['one two three four', 'five']);
  const long = lay('one two three four five six seven eight nine ten');
  assert.deepEqual(words(long), ['one two three four', 'five six seven eight …']);
  for (const { width } of long.lines) assert.ok(width <= 100);
});

test('a word that is longer than a line is split', () => {
  const block = lay('x'.repeat(500));
  assert.equal(block.lines.length, 2);
  for (const { width } of block.lines) assert.ok(width <= 100);
});

test('each script has its font, and emoji are never split', () => {
  const families = lay('a👨‍👩‍👧★ש').lines[0]?.runs.map(({ text, family }) => [text, family]);
  assert.deepEqual(families, [
    ['a', 'Noto Sans'],
    ['👨‍👩‍👧', 'Noto Emoji'],
    ['★', 'Noto Sans Symbols 2'],
    ['ש', 'Noto Sans Hebrew'],
  ]);
});

test('text that starts right to left is placed so, with the other words in their own direction', () => {
  const block = lay('שלום big world 🎮 עולם', 1000);
  assert.equal(block.isRtl, true);
  assert.deepEqual(words(block), ['עולם 🎮 big world שלום']);
  assert.deepEqual(words(lay('Hi שלום עולם there', 1000)), ['Hi עולם שלום there']);
});

test('decorative letters become ordinary ones, and characters without a font are omitted', () => {
  assert.deepEqual(words(lay('𝓐Ｂ漢 \u202Ec', 1000)), ['AB c']);
  assert.deepEqual(lay('漢字').lines, []);
});

test('the layout needs no other widths than those announced', () => {
  for (const text of ['Demo', 'x★'.repeat(100), 'a👨‍👩‍👧שלום\u{1242B}b'.repeat(20), 'ﷺ'.repeat(9), '']) {
    const announced = new Set(textsToMeasure(text).map((one) => JSON.stringify([one.text, one.font])));
    const strict: Measure = (one, font) => {
      assert.ok(announced.has(JSON.stringify([one, font])), `${one} in ${text}`);
      return measure(one, font);
    };
    const { lines } = layOut(text, { maxWidth: 100, styles }, strict);
    for (const { width } of lines) assert.ok(width <= 100);
  }
});
