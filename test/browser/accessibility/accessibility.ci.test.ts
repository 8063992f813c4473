import { testPages } from './sweep.ts';

await testPages('light, English, on a wide screen', {});
await testPages('dark, French, on a phone', { width: 360, isDark: true, locale: 'fr' });
