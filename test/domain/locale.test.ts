import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { chooseLocale, LOCALES, type Locale, type LocaleHints } from '../../src/domain/locale.ts';
import { anyText } from './arbitraries.ts';

type Scenario = [name: string, hints: LocaleHints, expected: Locale];

function scenarios(list: Scenario[]): void {
  for (const [name, hints, expected] of list) it(name, () => assert.equal(chooseLocale(hints), expected));
}

describe('the language of a response', () => {
  scenarios([
    ['is English by default', {}, 'en'],
    ['is what the locale parameter says', { parameter: 'fr' }, 'fr'],
    ['is what X-Locale says', { xLocale: 'fr' }, 'fr'],
    ['is what Accept-Language says', { acceptLanguage: 'fr' }, 'fr'],
    [
      'is that of the parameter before X-Locale',
      { parameter: 'en', xLocale: 'fr', acceptLanguage: 'fr' },
      'en',
    ],
    ['is that of X-Locale before Accept-Language', { xLocale: 'fr', acceptLanguage: 'en' }, 'fr'],
    [
      'is English for an unknown parameter, whatever the headers say',
      { parameter: 'de', xLocale: 'fr' },
      'en',
    ],
    [
      'is English for an unknown X-Locale, whatever Accept-Language says',
      { xLocale: 'de', acceptLanguage: 'fr' },
      'en',
    ],
    ['is not decided by an empty parameter', { parameter: '', xLocale: 'fr' }, 'fr'],
    ['is not decided by an empty X-Locale', { xLocale: '', acceptLanguage: 'fr' }, 'fr'],
    ['is French for the parameter fr-CA', { parameter: 'fr-CA' }, 'fr'],
    ['is French for the parameter fr_FR', { parameter: 'fr_FR' }, 'fr'],
    ['is English for the parameter FR, since values are case-sensitive', { parameter: 'FR' }, 'en'],
    ['is English for a parameter that only starts like a language', { parameter: 'french' }, 'en'],
    ['is French for the header X-Locale: FR-be', { xLocale: ' FR-be ' }, 'fr'],
  ]);
});

describe('Accept-Language', () => {
  const cases: [header: string, expected: Locale][] = [
    ['fr-CA', 'fr'],
    ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
    ['en-US,en;q=0.9,fr;q=0.8', 'en'],
    ['en;q=0.5, fr;q=0.9', 'fr'],
    ['fr;q=0.5, en;q=0.9', 'en'],
    ['fr-CA, en', 'fr'],
    ['en, fr-CA', 'en'],
    ['fr-FR,en-US;q=0.9,en;q=0.8,fr;q=0.7', 'fr'],
    ['de, fr;q=0.5', 'fr'],
    ['de-DE,de;q=0.9,fr;q=0.3,en;q=0.2', 'fr'],
    ['FR-fr', 'fr'],
    ['fr;q=0', 'en'],
    ['fr;q=0, en', 'en'],
    ['fr;q=0.0, de', 'en'],
    ['fr;q=0.001', 'fr'],
    ['de', 'en'],
    ['*', 'en'],
    ['*;q=0.5, fr;q=0.9', 'fr'],
    ['de, *', 'en'],
    ['fr;q=abc', 'en'],
    ['french', 'en'],
    [',,,', 'en'],
    [';q=1', 'en'],
    ['  fr  ', 'fr'],
  ];
  for (const [header, expected] of cases) {
    it(`"${header}" gives ${expected}`, () =>
      assert.equal(chooseLocale({ acceptLanguage: header }), expected));
  }
});

describe('a very long Accept-Language', () => {
  it('is parsed up to a limit, at a comma', () => {
    const many = (count: number) => Array.from({ length: count }, () => 'de-DE;q=0.1').join(',');
    assert.equal(chooseLocale({ acceptLanguage: `fr,${many(2000)}` }), 'fr');
    assert.equal(chooseLocale({ acceptLanguage: `${many(2000)},fr` }), 'en');
    // Truncating `fr;q=0` in the middle would select French, so the entry at the limit is dropped.
    for (let length = 480; length <= 510; length += 1) {
      const header = `${'x'.repeat(length)},fr;q=0,en`;
      assert.equal(chooseLocale({ acceptLanguage: header }), 'en', String(length));
    }
    assert.equal(chooseLocale({ acceptLanguage: 'fr'.repeat(5000) }), 'en');
  });
});

it('any text results in a supported language, and never throws', () => {
  const likeHeader = fc.stringMatching(/^[a-zA-Z*,;q=0-9. -]{0,60}$/);
  const hint = fc.option(fc.oneof(anyText, likeHeader), { nil: undefined });
  fc.assert(
    fc.property(hint, hint, hint, (parameter, xLocale, acceptLanguage) =>
      LOCALES.includes(chooseLocale({ parameter, xLocale, acceptLanguage })),
    ),
  );
});
