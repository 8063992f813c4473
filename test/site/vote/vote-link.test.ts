import assert from 'node:assert/strict';
import { test } from 'node:test';
import { votePath } from '../../../src/domain/votes/vote-link.ts';
import { PageError } from '../../../src/site/errors/page-error.ts';
import { readVoteLink } from '../../../src/site/vote/link.ts';

const GUILD = '100000000000000001';

function faultOf(query: Record<string, unknown>, options = {}): string | undefined {
  try {
    readVoteLink(query, options);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof PageError);
    return error.fault;
  }
}

test('a plain link has no name and no return address', () => {
  assert.deepEqual(readVoteLink({}), { externalId: null, returnTo: null, signature: null });
  assert.equal(votePath(GUILD, readVoteLink({})), `/guild/${GUILD}/vote`);
});

test('a link round-trips for any name', () => {
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

test('an empty, too long, repeated or unstorable name is rejected', () => {
  for (const wrong of ['', 'x'.repeat(192), '🔥'.repeat(192), 'a\0b', '\ud800', ['a', 'b']]) {
    assert.equal(faultOf({ external_id: wrong }), 'BAD_EXTERNAL_ID', JSON.stringify(wrong));
  }
  assert.equal(faultOf({ external_id: 'x'.repeat(191) }), undefined);
});

test('a name with control characters, line breaks or direction overrides is rejected', () => {
  const codes = [
    1, 9, 10, 13, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069,
  ];
  for (const code of codes) {
    const name = `a${String.fromCodePoint(code)}b`;
    assert.equal(faultOf({ external_id: name }), 'BAD_EXTERNAL_ID', `U+${code.toString(16)}`);
  }
  // Right-to-left marks and joiners are part of ordinary text and of emoji.
  for (const name of ['שלום\u200f!', '👩\u200d🚀', 'می\u200cخواهم', 'soft\u00adhyphen', 'a\u00a0b']) {
    assert.equal(faultOf({ external_id: name }), undefined, JSON.stringify(name));
  }
});

test('a return address on this machine needs no https in the demo', () => {
  const local = [
    'http://localhost/',
    'http://localhost:3000/shop',
    'http://127.0.0.1:80/',
    'http://[::1]:1/',
  ];
  for (const address of local) {
    assert.equal(
      readVoteLink({ return_to: address }, { isDemo: true }).returnTo?.href,
      new URL(address).href,
    );
    assert.equal(faultOf({ return_to: address }), 'BAD_RETURN_ADDRESS');
  }
  for (const wrong of [
    'http://play.example.org/',
    'http://localhost.example.org/',
    'http://a:b@localhost/',
  ]) {
    assert.equal(faultOf({ return_to: wrong }, { isDemo: true }), 'BAD_RETURN_ADDRESS', wrong);
  }
});

test('a return address must be a plain https URL', () => {
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
