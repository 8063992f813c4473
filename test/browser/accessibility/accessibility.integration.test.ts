/**
 * Pages where most goes wrong: in the longer language on a phone, in dark colors, without those that are similar to
 * others. accessibility.ci.test.ts opens every page, also in light colors, on a wide screen, in English.
 */
import { testPages } from './sweep.ts';

await testPages(
  'dark, French, on a phone',
  { width: 360, isDark: true, locale: 'fr' },
  { skipsSimilar: true },
);
