import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OTHER_USER, onSqlite, USER } from '../../support/api.ts';
import type { PageAnswer } from '../visitor.ts';
import { openDashboard } from './open-dashboard.ts';

/** The figures at the head of the page, by name. */
function figuresIn({ text }: PageAnswer): Record<string, string> {
  const found = text.matchAll(/<dt[^>]*>([^<]+)<\/dt><dd[^>]*>([^<]+)<\/dd>/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name, value]));
}

onSqlite('the overview', (open) => {
  test('counts today, this month and the doubled share by UTC days', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote(
      { at: '2026-10-31T23:59:59.999Z', isDoubled: true },
      { at: '2026-11-01T00:00:00.000Z', isDoubled: true },
      { at: '2026-11-14T23:59:59.999Z' },
      { at: '2026-11-15T00:00:00.000Z' },
      { at: '2026-11-15T11:55:00.000Z', userId: OTHER_USER },
    );
    const page = await alex.get(path());
    assert.deepEqual(figuresIn(page), {
      'Votes today': '2',
      'Votes this month': '4',
      Doubled: '25%',
      'Last vote': '5 minutes ago',
    });
    assert.match(page.text, /<time datetime="2026-11-15T11:55:00.000Z">Nov 15, 2026, 11:55:00 UTC<\/time>/);
  });

  test('has a table of the last 31 days behind its chart', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-11-14T23:59:59.999Z', isDoubled: true }, { at: '2026-11-15T00:00:00.000Z' });
    const { text } = await alex.get(path());
    const rows = [...text.matchAll(/data-votes="(\d+)" data-doubled="(\d+)">.*?datetime="([^"]+)"/g)];
    assert.equal(rows.length, 31);
    assert.deepEqual(
      rows.slice(0, 3).map(([, votes, doubled, day]) => [day, votes, doubled]),
      [
        ['2026-11-15', '1', '0'],
        ['2026-11-14', '1', '1'],
        ['2026-11-13', '0', '0'],
      ],
    );
  });

  test('names the top voters of this month', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote(
      { at: '2026-11-02T10:00:00Z', userId: OTHER_USER },
      { at: '2026-11-03T10:00:00Z', userId: OTHER_USER },
      { at: '2026-11-03T10:00:00Z' },
      { at: '2026-10-30T10:00:00Z' },
      { at: '2026-10-31T10:00:00Z' },
    );
    const { text } = await alex.get(path());
    const voters = [
      ...text.matchAll(/\?user=(\d+)"><span class="mono">\d+<\/span><\/a><\/td><td class="number">(\d+)</g),
    ];
    assert.deepEqual(
      voters.map(([, user, votes]) => [user, votes]),
      [
        [OTHER_USER, '2'],
        [USER, '1'],
      ],
    );
  });

  test('counts the voters once for all who look within a few seconds, and everything else for each', async (t) => {
    const { alex, path, vote, store, clock } = await openDashboard(t, await open());
    await vote({ at: '2026-11-03T10:00:00Z' });
    const topVoters = t.mock.method(store.votes, 'topVoters');
    const look = async () => (await alex.get(path())).text;
    await Promise.all(Array.from({ length: 20 }, () => alex.get(path())));
    assert.equal(topVoters.mock.callCount(), 1);
    assert.match(await look(), new RegExp(`${USER}</span></a></td><td class="number">1<`));
    await vote({ at: '2026-11-15T11:59:00Z' });
    const page = await alex.get(path());
    assert.equal(figuresIn(page)['Votes this month'], '2');
    assert.equal(figuresIn(page)['Last vote'], '1 minute ago');
    clock.advance(10_000);
    assert.match(await look(), new RegExp(`${USER}</span></a></td><td class="number">2<`));
    assert.equal(topVoters.mock.callCount(), 2);
  });

  test('shows the first voter of a month at once', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-10-03T10:00:00Z' });
    assert.match((await alex.get(path())).text, /No votes this month yet/);
    await vote({ at: '2026-11-15T11:59:00Z' });
    assert.match((await alex.get(path())).text, new RegExp(`${USER}</span></a></td><td class="number">1<`));
  });

  test('of a guild without votes says where to begin', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const page = await alex.get(path());
    assert.deepEqual(Object.values(figuresIn(page)), ['0', '0', '–', 'None yet']);
    assert.match(page.text, /Share the vote link with your members/);
    assert.doesNotMatch(page.text, /id="chart"/);
  });

  test('speaks French, with French numbers and dates', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-11-15T11:55:00.000Z', isDoubled: true });
    const { text } = await alex.get(path(), { 'accept-language': 'fr' });
    assert.match(text, /Votes aujourd’hui/);
    assert.match(text, /100\s%/);
    assert.match(text, /15 nov\. 2026, 11:55:00 UTC/);
  });

  test('brings its chart library from this very site', async (t) => {
    const { alex, app, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-11-15T11:55:00.000Z' });
    const { text } = await alex.get(path());
    for (const [, address = ''] of text.matchAll(/data-(?:script|style)="([^"]+)"/g)) {
      const { statusCode, headers, payload } = await app.inject(address);
      assert.equal(statusCode, 200);
      assert.match(String(headers['content-type']), /javascript|css/);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.match(payload, /uPlot|uplot/);
    }
  });
});
