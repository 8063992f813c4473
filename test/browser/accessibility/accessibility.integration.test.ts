/**
 * Every page where most goes wrong: in the longer language on a phone. Both color schemes are checked in this visit,
 * because only the contrast depends on them. accessibility.ci.test.ts opens every page on a wide screen in English.
 */
import { assertContrast, assertSound } from '../../support/browser/axe.ts';
import { testEveryPage } from './sweep.ts';

const visit = { width: 360, isDark: true, locale: 'fr' as const };

await testEveryPage('dark and light, French, on a phone', visit, async (page) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await assertSound(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await assertContrast(page);
});
