/** No page is wider than the narrowest phones, in either language. */
import { assertFits } from '../../support/browser/browser.ts';
import { testPages } from './sweep.ts';

await testPages('320 px wide, English', { width: 320 }, { check: assertFits });
await testPages('320 px wide, French', { width: 320, locale: 'fr' }, { check: assertFits });
