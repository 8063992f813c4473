/** Scripts of community names that cards can only draw with fonts of the system. Others are included (fonts/). */
import { measureTexts, type OpenSvg } from './card-measure.ts';

/** A common character of each. */
const SCRIPTS = { Chinese: '文', Japanese: 'の', Korean: '한' };

export type SystemScript = keyof typeof SCRIPTS;

/** The scripts that no installed font has. */
export function missingScripts(openSvg: OpenSvg): SystemScript[] {
  const texts = Object.values(SCRIPTS).map((text) => ({ text, font: 'system' }) as const);
  const measure = measureTexts(texts, openSvg, { usesSystem: true });
  const names: readonly SystemScript[] = ['Chinese', 'Japanese', 'Korean'];
  return names.filter((name) => measure(SCRIPTS[name], 'system') === null);
}
