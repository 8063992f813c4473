import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../src/domain/clock.ts';
import { ago, OTHER_USER, onSqlite, USER } from '../../../support/api.ts';
import type { PageAnswer, Visitor } from '../../visitor.ts';
import { openDashboard } from '../open-dashboard.ts';

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
  test('are shown newest first, page by page, each exactly once', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    const votes = Array.from({ length: 120 }, (_, index) => ({ at: ago(index * MINUTE_MS) }));
    // Two votes of the same millisecond at the end of a page: they are ordered by user id.
    await vote(...votes, { at: ago(49 * MINUTE_MS), userId: OTHER_USER });
    const pages = await walk(alex, path('/votes'), 'next');
    assert.deepEqual(
      pages.map((page) => page.length),
      [50, 50, 21],
    );
    assert.deepEqual(pages.flat(), [...votes.map(({ at }) => at), ago(49 * MINUTE_MS)].sort().reverse());
  });

  test('can be paged back to the newest, with full pages', async (t) => {
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

  test('can be filtered by user', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote(...Array.from({ length: 60 }, (_, index) => ({ at: ago(index * MINUTE_MS) })));
    await vote({ at: ago(1), userId: OTHER_USER, externalId: '<script>alert(1)</script>' });
    const other = await alex.get(path(`/votes?user=${OTHER_USER}`));
    assert.deepEqual(timesIn(other), [ago(1)]);
    assert.ok(other.text.includes('&#60;script&#62;alert(1)'));
    const pages = await walk(alex, path(`/votes?user=${USER}`), 'next');
    assert.equal(pages.flat().length, 60);
  });

  test('with an invalid user id show an explanation, not an error', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: ago(1) });
    const page = await alex.get(path(`/votes?user=${encodeURIComponent('"><b>')}`));
    assert.equal(page.status, 200);
    assert.match(page.text, /A Discord user id has 15 to 20 digits/);
    assert.deepEqual(timesIn(page), [ago(1)]);
    assert.doesNotMatch(page.text, /"><b>/);
  });

  test('can be filtered by name, case-insensitively, with pages in both directions', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    const votes = Array.from({ length: 120 }, (_, index) => ({
      at: ago(index * MINUTE_MS),
      externalId: index % 2 ? 'Zoé & Co' : 'ZOÉ & CO',
    }));
    await vote(...votes, { at: ago(1), externalId: 'Zoé' });
    const forward = await walk(alex, path(`/votes?external_id=${encodeURIComponent('zoé & co')}`), 'next');
    assert.deepEqual(
      forward.flat(),
      votes.map(({ at }) => at),
    );
    const third = `/votes?external_id=${encodeURIComponent('zoé & co')}&before=${Date.parse(ago(99 * MINUTE_MS))}_${USER}`;
    const back = await walk(alex, path(third), 'prev');
    assert.deepEqual(
      back.map((page) => page.length),
      [20, 50, 50],
    );
    const none = await alex.get(path('/votes?external_id=%00'));
    assert.match(none.text, /No votes match this filter/);
  });

  test('with both a user and a name show that one field is enough', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: ago(1) });
    const page = await alex.get(path(`/votes?user=${USER}&external_id=Steve`));
    assert.match(page.text, /Fill in one of the two fields/);
    assert.deepEqual(timesIn(page), [ago(1)]);
  });

  for (const query of [
    'before=x',
    'after=1_2',
    'before=99999999999999999_200000000000000001',
    'before=a&before=b',
  ]) {
    test(`start at the newest for an invalid URL: ${query}`, async (t) => {
      const { alex, path, vote } = await openDashboard(t, await open());
      await vote({ at: ago(1) });
      assert.deepEqual(timesIn(await alex.get(path(`/votes?${query}`))), [ago(1)]);
    });
  }
});

/** The URL of the only "Release" link on the page. */
function releaseLink(page: PageAnswer): string {
  const [, address] = /href="([^"]*\/votes\/release\?vote=[^"]+)"/.exec(page.text) ?? [];
  assert.ok(address);
  return address;
}

onSqlite('the times of votes', (open) => {
  test('are exact for programs, short for people, and the time zone is stated once', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-11-15T09:05:42.123Z' });
    const { text } = await alex.get(path('/votes'));
    assert.match(text, /<time datetime="2026-11-15T09:05:42.123Z" data-row>Nov 15, 2026, 9:05\sAM<\/time>/);
    const table = /<table.*<\/table>/s.exec(text)?.[0] ?? '';
    assert.doesNotMatch(table, /UTC|>No<|–<\/td><td class="no muted">–/);
    assert.match(text, /<span data-time-zone="Times are in your time zone\.">Times are in UTC\.<\/span>/);
  });
});

onSqlite('the claims of votes', (open) => {
  test('are shown with their time, and released after confirmation', async (t) => {
    const { alex, path, vote, send, activities } = await openDashboard(t, await open());
    await vote({ at: ago(1) }, { at: ago(2) });
    await send('POST', `/v7/guild/claims?discord_id=${USER}`);
    const page = await alex.get(path('/votes'));
    assert.deepEqual(timesIn(page), [ago(1), ago(2), ago(0)]);
    assert.match(page.text, /<th scope="col">Claimed<\/th>/);
    const question = await alex.get(releaseLink(page));
    assert.match(question.text, /Release this claim\?/);
    assert.deepEqual(timesIn(question), [ago(2), ago(0)]);
    const fields = hiddenFields(question);
    const answer = await alex.submit(question, path('/votes/release'), fields);
    assert.deepEqual([answer.status, answer.location], [303, path('/votes?done=claim-released')]);
    assert.deepEqual(await activities(), [['Alex', 'claim_released']]);
    const after = await alex.get(path('/votes?done=claim-released'));
    assert.match(after.text, /The claim is released/);
    // Nothing on this page is claimed, so the column is left out.
    assert.doesNotMatch(after.text, />Claimed<|Not claimed/);
    assert.match(
      (await alex.get(path('/activity'))).text,
      /Released the claim of a vote[\s\S]*vote_[0-9a-f]{32}/,
    );
    // Submitted again, the form has nothing to release.
    const again = await alex.submit(question, path('/votes/release'), fields);
    assert.equal(again.location, path('/votes?done=claim-kept'));
    assert.equal((await activities()).length, 1);
  });

  test('are not released by an outdated form after the vote was claimed again', async (t) => {
    const { alex, path, vote, send, clock, guildId, store } = await openDashboard(t, await open());
    await vote({ at: ago(1) });
    await send('POST', `/v7/guild/claims?discord_id=${USER}`);
    const question = await alex.get(releaseLink(await alex.get(path('/votes'))));
    const fields = hiddenFields(question);
    await alex.submit(question, path('/votes/release'), fields);
    clock.advance(1000);
    await send('POST', `/v7/guild/claims?discord_id=${USER}`);
    const late = await alex.submit(question, path('/votes/release'), fields);
    assert.equal(late.location, path('/votes?done=claim-kept'));
    const position = { castAt: Date.parse(ago(1)), userId: USER };
    assert.deepEqual(await store.claims.claimTimes(guildId, [position]), [
      { claimedAt: clock(), claims: {} },
    ]);
  });

  test('cannot be released if the vote is not claimed or the form is invalid', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: ago(1) });
    for (const query of [
      '',
      '?vote=x',
      `?vote=${Date.parse(ago(1))}_${USER}`,
      '?vote=1_200000000000000009',
    ]) {
      const answer = await alex.get(path(`/votes/release${query}`));
      assert.deepEqual([answer.status, answer.location], [303, path('/votes?done=claim-kept')]);
    }
    const page = await alex.get(path('/settings'));
    for (const fields of [{}, { vote: 'x', claimed_at: ago(0) }, { vote: `1_${USER}`, claimed_at: '' }])
      assert.equal((await alex.submit(page, path('/votes/release'), fields)).status, 400);
  });
});

function hiddenFields({ text }: PageAnswer): Record<string, string> {
  const fields = text.matchAll(/<input type="hidden" name="(vote|claimed_at)" value="([^"]*)">/g);
  return Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, value]));
}

onSqlite('the CSV download', (open) => {
  test('contains the votes of the selected days, oldest first', async (t) => {
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
      '\uFEFFtimestamp,user_id,is_doubled,external_id,claimed_at',
      `2026-11-10T00:00:00.000Z,${USER},false,"'=HYPERLINK(""x"")",`,
      `2026-11-11T23:59:59.999Z,${USER},true,Zoé,`,
      '',
    ]);
  });

  test('contains the votes of one user if the tab is filtered by user', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ at: '2026-11-10T01:00:00.000Z' }, { at: '2026-11-10T02:00:00.000Z', userId: OTHER_USER });
    const tab = await alex.get(path(`/votes?user=${OTHER_USER}`));
    const form = /<form[^>]*votes\.csv">[\s\S]*?<\/form>/.exec(tab.text)?.[0] ?? '';
    assert.ok(form.includes(`<input type="hidden" name="user" value="${OTHER_USER}">`), form);
    const query = `from=2026-11-10&to=2026-11-10&user=${OTHER_USER}`;
    const { text } = await alex.get(path(`/votes.csv?${query}`));
    assert.deepEqual(text.split('\r\n').slice(1), [`2026-11-10T02:00:00.000Z,${OTHER_USER},false,,`, '']);
  });

  test('contains the votes under one name if the tab is filtered by name, and when each was claimed', async (t) => {
    const { alex, path, vote, send } = await openDashboard(t, await open());
    await vote(
      { at: '2026-11-14T01:00:00.000Z', externalId: 'Steve' },
      { at: '2026-11-15T01:00:00.000Z', externalId: 'STEVE' },
      { at: '2026-11-15T02:00:00.000Z', externalId: 'Alex' },
      { at: '2026-11-15T03:00:00.000Z', externalId: 'steve' },
    );
    await send('POST', '/v7/guild/claims?external_id=steve');
    const tab = await alex.get(path('/votes?external_id=steve'));
    const form = /<form[^>]*votes\.csv">[\s\S]*?<\/form>/.exec(tab.text)?.[0] ?? '';
    assert.ok(form.includes('<input type="hidden" name="external_id" value="steve">'), form);
    const { text } = await alex.get(path('/votes.csv?from=2026-11-15&to=2026-11-15&external_id=steve'));
    assert.deepEqual(text.split('\r\n').slice(1), [
      `2026-11-15T01:00:00.000Z,${USER},false,STEVE,`,
      `2026-11-15T03:00:00.000Z,${USER},false,steve,2026-11-15T12:00:00.000Z`,
      '',
    ]);
  });

  test('with an invalid user id is rejected on the page, and does not contain all votes', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const { status, text, type } = await alex.get(path('/votes.csv?user=Steve'));
    assert.deepEqual([status, type], [400, 'text/html; charset=utf-8']);
    assert.match(text, /A Discord user id has 15 to 20 digits/);
  });

  test('has a descriptive file name and is not cached', async (t) => {
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
    test(`of ${query} is rejected on its page`, async (t) => {
      const { alex, path } = await openDashboard(t, await open());
      const { status, text, type } = await alex.get(path(`/votes.csv?${query}`));
      assert.deepEqual([status, type], [400, 'text/html; charset=utf-8']);
      assert.match(text, message);
      assert.ok(text.includes(`value="${query.slice(5, 15)}"`));
    });
  }
});
