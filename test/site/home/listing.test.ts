import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FIRST_PAGE, listPath, pageNumbers, readListingQuery } from '../../../src/site/home/listing.ts';

describe('the URL of the list', () => {
  test('has one form for each page', () => {
    const query = {
      ...FIRST_PAGE,
      search: 'a b',
      sort: 'new' as const,
      tag: 'pvp',
      language: 'fr' as const,
      page: 2,
    };
    assert.equal(listPath(query), '/?q=a+b&sort=new&tag=pvp&language=fr&page=2');
    assert.equal(listPath(FIRST_PAGE), '/');
    const { searchParams } = new URL(listPath(query), 'https://votary.invalid');
    assert.deepEqual(readListingQuery(Object.fromEntries(searchParams)), query);
  });

  test('with unknown values uses the defaults', () => {
    const query = { sort: 'worst', tag: 'a,b', language: 'xx', page: '-1' };
    assert.deepEqual(readListingQuery(query), FIRST_PAGE);
    assert.equal(readListingQuery({ tag: ' PvP ' }).tag, 'pvp');
  });
});

test('page numbers are the first, the last and those around the current one', () => {
  assert.deepEqual(pageNumbers(1, 1), [1]);
  assert.deepEqual(pageNumbers(1, 5), [1, 2, 3, 4, 5]);
  assert.deepEqual(pageNumbers(5, 250), [1, 2, 3, 4, 5, 6, 7, null, 250]);
  assert.deepEqual(pageNumbers(100, 250), [1, null, 98, 99, 100, 101, 102, null, 250]);
  assert.deepEqual(pageNumbers(250, 250), [1, null, 248, 249, 250]);
});
