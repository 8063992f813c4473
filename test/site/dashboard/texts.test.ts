import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { customVoteLink } from '../../../src/site/dashboard/key/view.ts';
import { formatAgo, formatMoment, formatNumber, formatPercent } from '../../../src/site/layout/format.ts';

const NOW = Date.parse('2026-11-15T17:04:05.000Z');
/** Replaces the narrow and wide no-break spaces of French by plain spaces. */
const plain = (text: string) => text.replace(/[\u00A0\u202F]/g, ' ');

describe('numbers and moments', () => {
  it('are formatted in English, with UTC', () => {
    assert.equal(formatNumber(12345, 'en'), '12,345');
    assert.equal(formatPercent(0.256, 'en'), '26%');
    assert.equal(plain(formatMoment(NOW, 'en')), 'Nov 15, 2026, 5:04 PM UTC');
  });

  it('are formatted in French, with UTC', () => {
    assert.equal(plain(formatNumber(12345, 'fr')), '12 345');
    assert.equal(plain(formatPercent(0.256, 'fr')), '26 %');
    assert.equal(plain(formatMoment(NOW, 'fr')), '15 nov. 2026, 17:04 UTC');
  });

  it('are relative in the largest unit that fits', () => {
    const ago = (milliseconds: number) => formatAgo(NOW - milliseconds, NOW, 'en');
    assert.equal(ago(-1500), 'just now');
    assert.equal(ago(59_999), 'just now');
    assert.equal(ago(60_000), '1 minute ago');
    assert.equal(ago(3_600_000), '1 hour ago');
    assert.equal(ago(86_400_000), 'yesterday');
    assert.equal(plain(formatAgo(NOW - 300_000, NOW, 'fr')), 'il y a 5 minutes');
  });
});

describe('snippets to paste', () => {
  it('escape any external id', () => {
    assert.equal(
      customVoteLink('https://x', '1', 'a b&c=d#é'),
      'https://x/guild/1/vote?external_id=a%20b%26c%3Dd%23%C3%A9',
    );
  });
});
