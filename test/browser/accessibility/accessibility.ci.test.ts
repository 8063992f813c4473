import { assertSound } from '../../support/browser/axe.ts';
import { similarPages } from './pages.ts';
import { testEveryPage } from './sweep.ts';

await testEveryPage('light, English, on a wide screen', {}, assertSound, (site) => ({
  'pages that differ little from others': () => similarPages(site),
}));
