import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { ago, OTHER_USER, onSqlite, USER } from '../../support/api.ts';
import type { PageAnswer, Visitor } from '../visitor.ts';
import { openDashboard } from './open-dashboard.ts';

function timesIn({ text }: PageAnswer): string[] {
  return [...text.matchAll(/<time datetime="([^"]+)"/g)].map(([, at]) => at ?? '');
}

function turn(page: PageAnswer, rel: 'next' | 'prev'): string | undefined {
  return new RegExp(`rel="${rel}" href="([^"]+)"`).exec(page.text)?.[1]?.replaceAll('&#38;', '&');
}

async function walk(visitor: Visitor, start: string, rel: 'next' | 'prev'): Promise<string[][]> {
  const pages: string[][] = [];
  for (let path: string | undefined = start; path !== undefined; ) {
    const page: PageAnswer = await visitor.get(path);
    pages.push(timesIn(page));
    assert.ok(pages.length < 10, 'the pages never end');
    path = turn(page, rel);
  }
  return pages;
}

onSqlite('the votes', (open) => {
  test('are shown newest first, page after page, each exactly once', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    const votes = Array.from({ length: 120 }, (_, index) => ({ at: ago(index * MINUTE_MS) }));
    // Two of the same millisecond, at the end of a page: the user id tells them apart.
    await vote(...votes, { at: ago(49 * MINUTE_MS), userId: OTHER_USER });
    const pages = await walk(alex, path('/votes'), 'next');
    assert.deepEqual(
      pages.map((page) => page.length),
      [50, 50, 21],
    );
    assert.deepEqual(pages.flat(), [...votes.map(({ at }) => at), ago(49 * MINUTE_MS)].sort().reverse());
  });

  test('lead back to the newest, by pages that are full', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote(...Array.from({ length: 120 }, (_, index) => ({ at: ago(index * MINUTE_MS) })));
    const second = turn(await alex.get(path('/votes')), 'next') ?? '';
    const third = turn(await alex.get(second), 'next') ?? '';
    const back = await walk(alex, third, 'prev');
    assert.deepEqual(
      back.map((page) => page.length),
      [20, 50, 50],
    );
    assert.equal(back.at(-1)?.[0], ago(0));
  });

  test('can be narrowed to one user, whose pages hold nobody else', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote(...Array.from({ length: 60 }, (_, index) => ({ at: ago(index * MINUTE_MS) })));
    await vote({ at: ago(1), userId: OTHER_USER, externalId: '<script>alert(1)</script>' });
    const other = await alex.get(path(`/votes?user=${OTHER_USER}`));
    assert.deepEqual(timesIn(other), [ago(1)]);
    assert.ok(other.text.includes('&#60;script&#62;alert(1)'));
    const pages = await walk(alex, path(`/votes?user=${USER}`), 'next');
    assert.equal(pages.flat().length, 60);
  });

  test('of a user id that cannot be one are explained, not an error', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: ago(1) });
    const page = await alex.get(path(`/votes?user=${encodeURIComponent('"><b>')}`));
    assert.equal(page.status, 200);
    assert.match(page.text, /A Discord user id has 15 to 20 digits/);
    assert.deepEqual(timesIn(page), [ago(1)]);
    assert.doesNotMatch(page.text, /"><b>/);
  });

  for (const query of [
    'before=x',
    'after=1_2',
    'before=99999999999999999_200000000000000001',
    'before=a&before=b',
  ]) {
    test(`start at the newest when the address is damaged: ${query}`, async (t) => {
      const { alex, path, vote } = await openDashboard(t, await open());
      await vote({ at: ago(1) });
      assert.deepEqual(timesIn(await alex.get(path(`/votes?${query}`))), [ago(1)]);
    });
  }
});

onSqlite('the CSV download', (open) => {
  test('holds the votes of the days that were picked, oldest first', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote(
      { at: '2026-11-09T23:59:59.999Z' },
      { at: '2026-11-10T00:00:00.000Z', externalId: '=HYPERLINK("x")' },
      { at: '2026-11-11T23:59:59.999Z', isDoubled: true, externalId: 'Zoé' },
      { at: '2026-11-12T00:00:00.000Z' },
    );
    const { status, text, type } = await alex.get(path('/votes.csv?from=2026-11-10&to=2026-11-11'));
    assert.deepEqual([status, type], [200, 'text/csv; charset=utf-8']);
    assert.deepEqual(text.split('\r\n'), [
      '\uFEFFtimestamp,user_id,is_doubled,external_id',
      `2026-11-10T00:00:00.000Z,${USER},false,"'=HYPERLINK(""x"")"`,
      `2026-11-11T23:59:59.999Z,${USER},true,Zoé`,
      '',
    ]);
  });

  test('holds the votes of one user when the tab was narrowed to them', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-11-10T01:00:00.000Z' }, { at: '2026-11-10T02:00:00.000Z', userId: OTHER_USER });
    const tab = await alex.get(path(`/votes?user=${OTHER_USER}`));
    const form = /<form[^>]*votes\.csv">[\s\S]*?<\/form>/.exec(tab.text)?.[0] ?? '';
    assert.ok(form.includes(`<input type="hidden" name="user" value="${OTHER_USER}">`), form);
    const query = `from=2026-11-10&to=2026-11-10&user=${OTHER_USER}`;
    const { text } = await alex.get(path(`/votes.csv?${query}`));
    assert.deepEqual(text.split('\r\n').slice(1), [`2026-11-10T02:00:00.000Z,${OTHER_USER},false,`, '']);
  });

  test('of a user id that cannot be one is refused on the page, not made of all votes', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const { status, text, type } = await alex.get(path('/votes.csv?user=Steve'));
    assert.deepEqual([status, type], [400, 'text/html; charset=utf-8']);
    assert.match(text, /A Discord user id has 15 to 20 digits/);
  });

  test('is a file of its own name, kept by no cache', async (t) => {
    const { alex, app, path, guildId } = await openDashboard(t, await open());
    const { headers } = await app.inject({
      url: path('/votes.csv?from=2026-11-10&to=2026-11-11'),
      cookies: Object.fromEntries(alex.cookies),
    });
    assert.equal(
      headers['content-disposition'],
      `attachment; filename="votes-${guildId}-2026-11-10-to-2026-11-11.csv"`,
    );
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  for (const [query, message] of [
    ['from=2026-10-01&to=2026-11-01', /at most 31 days/],
    ['from=2026-11-02&to=2026-11-01', /must not be after/],
    ['from=2026-02-30&to=2026-03-01', /is not valid/],
  ] as const) {
    test(`of ${query} is refused on the page it was asked from`, async (t) => {
      const { alex, path } = await openDashboard(t, await open());
      const { status, text, type } = await alex.get(path(`/votes.csv?${query}`));
      assert.deepEqual([status, type], [400, 'text/html; charset=utf-8']);
      assert.match(text, message);
      assert.ok(text.includes(`value="${query.slice(5, 15)}"`));
    });
  }
});
