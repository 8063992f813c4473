import type { renderGuide } from './guide-view.ts';
import type { renderReference } from './reference-view.ts';

type MarkdownViews = { renderGuide: typeof renderGuide; renderReference: typeof renderReference };

/**
 * What is written in Markdown. The parser would take a twentieth of a start, so it is loaded a second later, or for a request
 * that needs it earlier.
 */
export async function loadMarkdownViews(): Promise<MarkdownViews> {
  const guides = await import('./guide-view.ts');
  const reference = await import('./reference-view.ts');
  return { renderGuide: guides.renderGuide, renderReference: reference.renderReference };
}
