import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageError } from '../../../src/site/page-error.ts';
import { readVoteLink, votePath } from '../../../src/site/vote/vote-link.ts';

const GUILD = '100000000000000001';

function faultOf(query: Record<string, unknown>): string | undefined {
  try {
    readVoteLink(query);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof PageError);
    return error.fault;
  }
}

test('a plain link has no name and no way back', () => {
  assert.deepEqual(readVoteLink({}), { externalId: null, returnTo: null });
  assert.equal(votePath(GUILD, readVoteLink({})), `/guild/${GUILD}/vote`);
});

test('a link leads back to itself, whatever its name holds', () => {
  for (const externalId of ['Steve_42', 'a&b=c#d?e/f', '<script>', ' ', '🔥'.repeat(191), 'שלום', '100%']) {
    const link = readVoteLink({
      external_id: externalId,
      return_to: 'https://play.example.org/shop?a=1&b=é',
    });
    const url = new URL(votePath(GUILD, link), 'https://votary.invalid');
    assert.equal(url.pathname, `/guild/${GUILD}/vote`);
    assert.deepEqual(readVoteLink(Object.fromEntries(url.searchParams)), link);
    assert.equal(link.externalId, externalId);
  }
});

test('a name that is empty, too long, given twice or cannot be kept is refused', () => {
  for (const wrong of ['', 'x'.repeat(192), '🔥'.repeat(192), 'a\0b', '\ud800', ['a', 'b']]) {
    assert.equal(faultOf({ external_id: wrong }), 'BAD_EXTERNAL_ID', JSON.stringify(wrong));
  }
  assert.equal(faultOf({ external_id: 'x'.repeat(191) }), undefined);
});

test('a way back must be a plain https address', () => {
  for (const wrong of [
    '',
    '/shop',
    '//evil.example',
    'http://play.example.org',
    'javascript:alert(1)',
    'data:text/html,x',
    'https:play.example.org',
    'https://',
    'https://bank.example@evil.example/',
    ' https://play.example.org',
    ['https://a.example', 'https://b.example'],
  ]) {
    assert.equal(faultOf({ return_to: wrong }), 'BAD_RETURN_ADDRESS', JSON.stringify(wrong));
  }
  assert.equal(readVoteLink({ return_to: 'HTTPS://Play.Example.org' }).returnTo?.host, 'play.example.org');
});
