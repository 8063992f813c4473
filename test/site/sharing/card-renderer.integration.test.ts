import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { type CardContent, drawCard } from '../../../src/site/sharing/card-drawing.ts';
import type { OpenSvg } from '../../../src/site/sharing/card-measure.ts';
import {
  CardRenderer,
  type CardRendererOptions,
  CardUnavailable,
  DRAWING_LIMIT_MS,
  SIMPLE_MS,
} from '../../../src/site/sharing/card-renderer.ts';
import { missingScripts } from '../../../src/site/sharing/card-scripts.ts';
import { testClock } from '../../support/clock.ts';

const CONTENT: CardContent = {
  name: 'A',
  tags: [],
  fallbackName: 'A community',
  initials: 'A',
  icon: null,
  banner: null,
  logo: '',
  usesSystemFonts: true,
  siteName: 'Site',
  accent: '#a59dff',
  votes: '1',
  votesLabel: 'vote this month',
  rank: null,
  rankLabel: '',
  goal: null,
};

const content =
  (name: string, icon: string | null = null) =>
  async () => ({ ...CONTENT, name, icon });

function start(t: TestContext, options: Partial<CardRendererOptions> = {}) {
  const clock = testClock('2026-11-15T12:00:00Z');
  const failures: string[] = [];
  const onSimplified = ({ message }: Error) => void failures.push(message);
  const cards = new CardRenderer({ clock, onSimplified, ...options });
  t.after(() => cards.close());
  return { cards, clock, failures };
}

test('the cache keeps the most recently used cards, up to its size', async (t) => {
  const { cards } = start(t, { maxCacheBytes: 40_000 });
  const one = await cards.get('one', content('One'));
  assert.ok(one.length > 5000 && one.length < 20_000, `${one.length} bytes`);
  await cards.get('two', content('Two'));
  await cards.get('one', content('One'));
  for (const name of ['Three', 'Four']) await cards.get(name, content(name));
  assert.equal(cards.needsDrawing('two'), true);
  assert.equal(cards.needsDrawing('Four'), false);
});

test('requests for the same card share one rendering, and only twenty cards can wait', async (t) => {
  const { cards } = start(t);
  let loads = 0;
  const load = async () => {
    loads += 1;
    return content('Same')();
  };
  const same = [cards.get('same', load), cards.get('same', load)];
  const others = Array.from({ length: 30 }, (_, index) => cards.get(`${index}`, content(`Card ${index}`)));
  const results = await Promise.allSettled(others);
  const refused = results.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 11);
  for (const result of refused) assert.ok('reason' in result && result.reason instanceof CardUnavailable);
  assert.equal(loads, 1);
  assert.equal(new Set(await Promise.all(same)).size, 1);
  assert.ok((await cards.get('29', content('Card 29'))).length > 0);
});

const STUCK = new URL('./stuck-card-worker.ts', import.meta.url);

/** The thread of these tests returns what it was told to draw. */
function startStuck(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { cards, clock, failures } = start(t, { workerFile: STUCK });
  let votes = 0;
  return {
    cards,
    clock,
    failures,
    /** Each time another card of this name, as after a vote. */
    async get(name: string, icon: string | null = null) {
      votes += 1;
      const drawn = await cards.get(`${name} with ${votes} votes`, content(name, icon));
      return JSON.parse(drawn.toString());
    },
    async passLimit() {
      await nextTick();
      t.mock.timers.tick(DRAWING_LIMIT_MS);
    },
  };
}

test('a card that takes too long is drawn without its icon and system fonts, and others go on', async (t) => {
  const { get, passLimit, failures } = startStuck(t);
  const slow = get('slow', 'data:');
  const other = get('Other', 'data:');
  await passLimit();
  assert.deepEqual(await other, { name: 'Other', usesSystemFonts: true, icon: 'data:' });
  assert.deepEqual(await slow, { name: 'slow', usesSystemFonts: false, icon: null });
  assert.deepEqual(failures, ['the card of "slow" failed']);
  const slowIcon = get('slow icon', 'data:');
  await passLimit();
  assert.deepEqual(await slowIcon, { name: 'slow icon', usesSystemFonts: false, icon: null });
});

test('the same name does not reach the limit again for a day', async (t) => {
  const { get, passLimit, clock, failures } = startStuck(t);
  const first = get('slow');
  await passLimit();
  await first;
  for (const _ of [1, 2, 3]) assert.equal((await get('slow')).usesSystemFonts, false);
  assert.equal(failures.length, 1);
  clock.advance(SIMPLE_MS);
  const nextDay = get('slow');
  await passLimit();
  assert.equal((await nextDay).usesSystemFonts, false);
  assert.equal(failures.length, 2);
});

test('a card that crashes its thread or cannot be drawn has a simple version too', async (t) => {
  const { get } = startStuck(t);
  const [crash, other, error] = await Promise.all([get('crash'), get('Other'), get('error')]);
  assert.deepEqual([crash.usesSystemFonts, error.usesSystemFonts], [false, false]);
  assert.equal(other.usesSystemFonts, true);
});

test('a card whose simple version takes too long is unavailable, and others go on', async (t) => {
  const { get, passLimit } = startStuck(t);
  const slow = assert.rejects(get('always slow'), CardUnavailable);
  await passLimit();
  await passLimit();
  await slow;
  assert.equal((await get('Other')).name, 'Other');
});

test('closing fails the cards that are being drawn or wait, and draws none', async (t) => {
  const { get, cards, failures } = startStuck(t);
  const pending = [get('slow'), get('Other')].map((card) => assert.rejects(card, CardUnavailable));
  await nextTick();
  await cards.close();
  await Promise.all(pending);
  await assert.rejects(get('Later'), CardUnavailable);
  assert.deepEqual(failures, []);
});

/** A renderer whose fonts, if those of the system are used, have every character, three times as wide as high. */
function fakeRenderer(systemFonts: boolean) {
  const opened: boolean[] = [];
  const shown: string[] = [];
  const images: string[] = [];
  const openSvg: OpenSvg = (svg, { usesSystem }) => {
    opened.push(usesSystem);
    const texts = [...svg.matchAll(/<text (?:id="([^"]+)" )?[^>]*?font-family="([^"]+)"[^>]*>([^<]*)</g)];
    shown.splice(0, shown.length, ...texts.map(([, , , text = '']) => text));
    images.splice(
      0,
      images.length,
      ...[...svg.matchAll(/<image href="([^"]+)"/g)].map(([, href = '']) => href),
    );
    const lines = texts
      .filter(([, , family]) => family !== 'sans-serif' || (usesSystem && systemFonts))
      .filter(([, , , text]) => text !== '\u{10FFFD}')
      .map(([, id, , text = '']) => `<g id="${id}">\n<path d="M 0 0 L ${[...text].length * 300} 9"/>\n</g>`);
    return { toString: () => lines.join('\n'), render: () => ({ asPng: () => new Uint8Array() }) };
  };
  return { openSvg, opened, shown, images };
}

/** The widest characters of all, in many words, and in runs of one character. */
const WIDE = '\u{1242B}';
const SLOW_NAMES = [WIDE.repeat(100), `${WIDE} `.repeat(50), `${WIDE}a`.repeat(50), `a${WIDE}★`.repeat(33)];

for (const name of SLOW_NAMES) {
  test(`a card opens the system fonts twice at most, whatever its name: ${name.slice(0, 6)}…`, () => {
    const { openSvg, opened, shown } = fakeRenderer(true);
    drawCard({ ...CONTENT, name, initials: name.slice(0, 4) }, openSvg);
    assert.deepEqual(opened, [true, true]);
    assert.ok(shown.join('').includes(WIDE));
  });
}

test('a name of which most characters have no font is replaced by its tags, and its initials by the logo', () => {
  const named = { ...CONTENT, tags: ['minecraft', 'サクラ'], logo: 'data:image/png;base64,logo' };
  for (const [name, initials] of [
    ['サクラ鯖', 'サ'],
    ['서버 1', '서1'],
  ] as const) {
    const { openSvg, shown, images } = fakeRenderer(false);
    drawCard({ ...named, name, initials }, openSvg);
    assert.ok(shown.join('').includes('Site#minecraft1vote'), shown.join(' '));
    assert.equal(images.includes('data:image/png;base64,logo'), initials === 'サ');
  }
  const { openSvg, shown, images } = fakeRenderer(false);
  drawCard({ ...named, name: 'Sakura 鯖', initials: 'S' }, openSvg);
  assert.ok(shown.join('').includes('Sakura'), shown.join(' '));
  assert.deepEqual(images, []);
});

test('the doctor knows which scripts have no font', () => {
  assert.deepEqual(missingScripts(fakeRenderer(false).openSvg), ['Chinese', 'Japanese', 'Korean']);
  assert.deepEqual(missingScripts(fakeRenderer(true).openSvg), []);
});

test('a name without a font in the system is replaced by a generic text', () => {
  const { openSvg, opened, shown } = fakeRenderer(false);
  drawCard({ ...CONTENT, name: WIDE.repeat(100) }, openSvg);
  assert.deepEqual(opened, [true, false]);
  assert.ok(shown.join('').includes('Acommunity'));
});

test('system fonts are not opened for a name that needs none, nor for a simple card', () => {
  for (const simple of [
    { ...CONTENT, name: 'Les Été 🎮 ★ שלום' },
    { ...CONTENT, name: `Demo ${WIDE}`, usesSystemFonts: false },
  ]) {
    const { openSvg, opened, shown } = fakeRenderer(true);
    drawCard(simple, openSvg);
    assert.deepEqual(opened, [false, false]);
    assert.ok(!shown.join('').includes(WIDE));
  }
});
