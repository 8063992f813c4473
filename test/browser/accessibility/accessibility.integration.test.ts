/**
 * Every page where most goes wrong: in the longer language on a phone, in dark colors. accessibility.ci.test.ts opens
 * every page in light colors, on a wide screen, in English.
 */
import { assertSound } from '../../support/browser/axe.ts';
import { testEveryPage } from './sweep.ts';

await testEveryPage('dark, French, on a phone', { width: 360, isDark: true, locale: 'fr' }, (page) =>
  assertSound(page),
);
