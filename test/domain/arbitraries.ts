/** Generators for property tests. */
import fc from 'fast-check';
import type { Vote } from '../../src/domain/votes/vote.ts';

/** Any millisecond of the years 0000 to 9999, the range of dates that can be formatted. */
export const anyInstant = fc.integer({
  min: Date.parse('0000-01-01T00:00:00.000Z'),
  max: Date.parse('9999-12-31T23:59:59.999Z'),
});

export const anySnowflake = fc.stringMatching(/^[0-9]{15,20}$/);

const anyCodeUnit = fc.integer({ min: 0, max: 0xffff });

/** Any text a client can send: plain, or with broken surrogates and control characters. */
export const anyText = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.array(anyCodeUnit, { maxLength: 300 }).map((units) => String.fromCharCode(...units)),
);

const anyCharacter = fc
  .integer({ min: 1, max: 0x10ffff })
  .map((codePoint) => String.fromCodePoint(codePoint).toWellFormed());

/** Text that every database can store exactly: 1 to 191 code points, no NUL, no lone surrogates. */
export const anyExternalId = fc
  .array(anyCharacter, { minLength: 1, maxLength: 191 })
  .map((characters) => characters.join(''));

export const anyVote: fc.Arbitrary<Vote> = fc.record(
  {
    guildId: anySnowflake,
    userId: anySnowflake,
    castAt: anyInstant,
    externalId: fc.option(anyExternalId),
    isDoubled: fc.boolean(),
  },
  { noNullPrototype: true },
);

/** All texts that differ from this one in exactly one replaced character. */
export function* substitutions(text: string, alphabet: string): Generator<string> {
  for (let index = 0; index < text.length; index += 1) {
    for (const character of alphabet) {
      if (character !== text[index]) yield text.slice(0, index) + character + text.slice(index + 1);
    }
  }
}
