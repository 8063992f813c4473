import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CardQueueFull, CardRenderer } from '../../../src/site/sharing/routes.ts';

const content = (name: string) => async () => ({
  name,
  fallbackName: 'A community',
  initials: 'A',
  icon: null,
  siteName: 'Site',
  accent: '#a59dff',
  votes: '1',
  votesLabel: 'vote this month',
  rank: null,
  rankLabel: '',
});

test('the cache keeps the most recently used cards, up to its size', async (t) => {
  const cards = new CardRenderer({ maxCacheBytes: 40_000 });
  t.after(() => cards.close());
  const one = await cards.get('one', content('One'));
  assert.ok(one.length > 5000 && one.length < 20_000, `${one.length} bytes`);
  await cards.get('two', content('Two'));
  await cards.get('one', content('One'));
  for (const name of ['Three', 'Four']) await cards.get(name, content(name));
  assert.equal(cards.needsDrawing('two'), true);
  assert.equal(cards.needsDrawing('Four'), false);
});

test('requests for the same card share one rendering, and only twenty cards can wait', async (t) => {
  const cards = new CardRenderer();
  t.after(() => cards.close());
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
  for (const result of refused) assert.ok('reason' in result && result.reason instanceof CardQueueFull);
  assert.equal(loads, 1);
  assert.equal(new Set(await Promise.all(same)).size, 1);
  assert.ok((await cards.get('29', content('Card 29'))).length > 0);
});
