import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addEndpoint } from '../../../store/webhook-fixtures.ts';
import { OTHER_USER, onSqlite, USER } from '../../../support/api.ts';
import type { PageAnswer } from '../../visitor.ts';
import { openDashboard } from '../open-dashboard.ts';

/** The figures at the top of the page, by name. */
function figuresIn({ text }: PageAnswer): Record<string, string> {
  const found = text.matchAll(/<dt[^>]*>([^<]+)<\/dt><dd[^>]*>([^<]+)<\/dd>/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name, value]));
}

onSqlite('the overview', (open) => {
  test('counts today, this month and the share of doubled votes by UTC days', async (t) => {
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
      'Votes in 7 days': '3',
      'Votes this month': '4',
      'Votes last month': '1',
      Doubled: '25%',
      'Last vote': '5 minutes ago',
    });
    assert.match(page.text, /<time datetime="2026-11-15T11:55:00.000Z">Nov 15, 2026, 11:55 AM UTC<\/time>/);
  });

  test('draws a sparkline with a text alternative for each tile, in both languages', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-11-14T23:59:59.999Z' }, { at: '2026-11-15T00:00:00.000Z' });
    const labels = async (language: string) => {
      const { text } = await alex.get(path(), { 'accept-language': language });
      return [...text.matchAll(/<svg class="sparkline"[^>]* role="img" aria-label="([^"]+)"/g)].map(
        ([, label]) => label,
      );
    };
    assert.deepEqual(await labels('en'), [
      'Votes per hour in the last 24 hours, at most 1',
      'Votes per day in the last 7 days, at most 1',
      'Votes per day this month, at most 1',
      'Votes per month in the 12 months before this one, at most 0',
    ]);
    assert.equal((await labels('fr'))[2], 'Votes par jour ce mois-ci, au plus 1');
  });

  test('shows votes per day and per hour of the day, with the same figures in tables', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-11-14T23:59:59.999Z', isDoubled: true }, { at: '2026-11-15T00:00:00.000Z' });
    const { text } = await alex.get(path());
    const days = [
      ...text.matchAll(
        /<time datetime="([\d-]{10})">[^<]+<\/time><\/th><td class="number">(\d)<\/td><td class="number">(\d)</g,
      ),
    ];
    assert.equal(days.length, 31);
    assert.deepEqual(
      days.slice(-3).map(([, day, votes, doubled]) => [day, votes, doubled]),
      [
        ['2026-11-13', '0', '0'],
        ['2026-11-14', '1', '1'],
        ['2026-11-15', '1', '0'],
      ],
    );
    const titles = [...text.matchAll(/<title>([^<]+)<\/title><rect class="hit"/g)].map(([, title]) => title);
    assert.equal(titles.length, 31 + 24);
    assert.equal(titles[29], 'Nov 14, 2026: 1 vote, 1 doubled');
    assert.equal(titles.at(-1), '23:00 UTC: 1 vote, 1 doubled');
    assert.match(text, /aria-label="Votes per day. Total: 2. Highest: Nov 14, 2026: 1 vote, 1 doubled."/);
  });

  test('covers 7, 31 or 90 days', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-08-18T00:00:00.000Z' }, { at: '2026-08-17T23:59:59.999Z' });
    const drawn = async (query: string) => {
      const { text } = await alex.get(path(query));
      const bars = [...text.matchAll(/<rect class="bar"/g)].length;
      return [
        [...text.matchAll(/class="slot"/g)].length - 24,
        bars,
        /aria-current="true">([^<]+)</.exec(text)?.[1],
      ];
    };
    assert.deepEqual(await drawn(''), [31, 0, '31 days']);
    assert.deepEqual(await drawn('?days=7'), [7, 0, '7 days']);
    assert.deepEqual(await drawn('?days=90'), [90, 2, '90 days']);
    assert.deepEqual(await drawn('?days=%00'), [31, 0, '31 days']);
  });

  test('compares this month with the previous one', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote(
      ...['01T10', '15T11'].map((hour) => ({ at: `2026-10-${hour}:00:00Z` })),
      ...['20T10', '21T10', '22T10'].map((hour) => ({ at: `2026-10-${hour}:00:00Z` })),
      ...['02T10', '03T10', '04T10'].map((hour) => ({ at: `2026-11-${hour}:00:00Z` })),
    );
    const page = await alex.get(path());
    assert.match(page.text, /<span class="trend up">\+50%<\/span> 2 by this time in October 2026</);
    assert.equal(figuresIn(page)['Votes last month'], '5');
    const french = await alex.get(path(), { 'accept-language': 'fr' });
    assert.match(french.text, /\+50\s%<\/span> 2 à la même date en octobre 2026</);
  });

  test('and the list of communities show failing webhooks', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    const { endpointId } = await addEndpoint(store, guildId);
    const pages = async () =>
      Promise.all([path(), '/dashboard'].map(async (url) => (await alex.get(url)).text));
    for (const text of await pages()) assert.doesNotMatch(text, /not being delivered|Webhook failing/);
    await store.webhooks.disableEndpoint(guildId, endpointId, clock(), 'gone');
    const [overview = '', list = ''] = await pages();
    assert.match(overview, /Events are not being delivered.*<\/bdi><\/strong> disabled since <time/s);
    assert.ok(overview.includes(`<a href="${path('/webhooks')}">Check the webhooks</a>`));
    assert.ok(list.includes(`<a class="badge bad" href="${path('/webhooks')}">Webhook failing</a>`));
  });

  test('lists the top voters of this month', async (t) => {
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

  test('counts top voters once for all viewers within a few seconds, and everything else for each', async (t) => {
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

  test('shows the first voter of a month immediately', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-10-03T10:00:00Z' });
    assert.match((await alex.get(path())).text, /No votes this month yet/);
    await vote({ at: '2026-11-15T11:59:00Z' });
    assert.match((await alex.get(path())).text, new RegExp(`${USER}</span></a></td><td class="number">1<`));
  });

  test('of a guild without votes shows the first steps', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const page = await alex.get(path());
    assert.deepEqual(figuresIn(page), {});
    assert.match(page.text, /Share the vote link with your members/);
    assert.doesNotMatch(page.text, /class="bars"|class="sparkline"/);
    // The next step is the only primary action.
    assert.match(page.text, /<a class="button" href="[^"]+">Open test votes<\/a>/);
    assert.match(page.text, /<a class="button secondary" href="[^"]+#vote-links">Get the vote links<\/a>/);
  });

  test('is in French, with French number and date formats', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-11-15T11:55:00.000Z', isDoubled: true });
    const { text } = await alex.get(path(), { 'accept-language': 'fr' });
    assert.match(text, /Votes aujourd’hui/);
    assert.match(text, /100\s%/);
    assert.match(text, /15 nov\. 2026, 11:55 UTC/);
  });
});
