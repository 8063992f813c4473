import { assertSound } from '../../support/browser/axe.ts';
import { testEveryPage } from './sweep.ts';

await testEveryPage('light, English, on a wide screen', {}, assertSound);
