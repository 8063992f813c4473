import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Cursor,
  type CursorScope,
  decodeCursor,
  encodeCursor,
} from '../../../src/api/v7/votes/list-cursor.ts';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { anyInstant, anySnowflake, anyText, substitutions } from '../../domain/arbitraries.ts';

const { cursorKey } = deriveSecrets('a secret for these tests');
const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';

const SCOPE: CursorScope = { guildId: '100000000000000001', userId: null };
const CURSOR: Cursor = {
  period: { from: 1_772_323_200_000, to: 1_774_000_000_000 },
  total: 1234,
  after: { castAt: 1_773_000_000_123, userId: '200000000000000002' },
};
const TEXT = encodeCursor(CURSOR, SCOPE, cursorKey);

const anyScope: fc.Arbitrary<CursorScope> = fc.record({
  guildId: anySnowflake,
  userId: fc.option(anySnowflake),
});
const anyCursor: fc.Arbitrary<Cursor> = fc
  .tuple(anyInstant, anyInstant, fc.nat(), anyInstant, anySnowflake)
  .map(([from, to, total, castAt, userId]) => ({ period: { from, to }, total, after: { castAt, userId } }));

describe('a cursor', () => {
  it('can be read back', () => {
    fc.assert(
      fc.property(anyCursor, anyScope, (cursor, scope) => {
        assert.deepEqual(decodeCursor(encodeCursor(cursor, scope, cursorKey), scope, cursorKey), cursor);
      }),
    );
  });

  it('needs no escaping in a query string', () => {
    fc.assert(
      fc.property(anyCursor, anyScope, (cursor, scope) => {
        const text = encodeCursor(cursor, scope, cursorKey);
        assert.equal(encodeURIComponent(text), text);
      }),
    );
  });

  it('is rejected for any other guild, endpoint or user', () => {
    fc.assert(
      fc.property(anyCursor, anyScope, anyScope, (cursor, issued, other) => {
        fc.pre(issued.guildId !== other.guildId || issued.userId !== other.userId);
        assert.equal(decodeCursor(encodeCursor(cursor, issued, cursorKey), other, cursorKey), undefined);
      }),
    );
    const ofUser = { ...SCOPE, userId: '200000000000000002' };
    assert.equal(decodeCursor(TEXT, ofUser, cursorKey), undefined);
    assert.equal(decodeCursor(encodeCursor(CURSOR, ofUser, cursorKey), SCOPE, cursorKey), undefined);
  });

  it('is rejected with another secret', () => {
    const other = deriveSecrets('another secret, also for tests').cursorKey;
    assert.equal(decodeCursor(TEXT, SCOPE, other), undefined);
  });
});

describe('a modified cursor is rejected', () => {
  const isRefused = (text: string) => decodeCursor(text, SCOPE, cursorKey) === undefined;

  it('with any one character replaced', () => {
    for (const changed of substitutions(TEXT, URL_SAFE)) assert.ok(isRefused(changed), changed);
  });

  it('truncated anywhere, at its end or its start', () => {
    for (let length = 0; length < TEXT.length; length += 1) {
      assert.ok(isRefused(TEXT.slice(0, length)));
      assert.ok(isRefused(TEXT.slice(TEXT.length - length)));
    }
  });

  it('with any one character removed', () => {
    for (let i = 0; i < TEXT.length; i += 1) assert.ok(isRefused(TEXT.slice(0, i) + TEXT.slice(i + 1)));
  });

  it('with anything added before or after it', () => {
    for (const character of `${URL_SAFE}= \n\t%+é\0`) {
      assert.ok(isRefused(TEXT + character));
      assert.ok(isRefused(character + TEXT));
    }
  });

  it('with its letters in another case', () => {
    assert.ok(isRefused(TEXT.toUpperCase()));
    assert.ok(isRefused(TEXT.toLowerCase()));
  });
});

it('text that is not a cursor is rejected and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.base64String(), fc.stringMatching(/^[\w-]+\.[\w-]{43}$/)), (text) => {
      assert.equal(decodeCursor(text, SCOPE, cursorKey), undefined);
    }),
  );
});
