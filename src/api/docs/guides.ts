import { readFile } from 'node:fs/promises';
import { marked } from 'marked';
import { GUIDES, GUIDES_PATH } from '../openapi/introduction.ts';

export type GuideName = keyof typeof GUIDES;

const DIRECTORY = new URL('../../../docs/guides/', import.meta.url);

/** Guides refer to each other as files, which is what they are in the repository. */
const LINK_TO_GUIDE = /href="([a-z-]+)\.md(#[\w-]+)?"/g;

export function isGuide(name: string): name is GuideName {
  return Object.hasOwn(GUIDES, name);
}

/** A guide as HTML. The guides are our own text, so that nothing in them has to be made harmless. */
export async function renderGuide(name: GuideName): Promise<string> {
  const html = await marked(await readFile(new URL(`${name}.md`, DIRECTORY), 'utf8'));
  return (
    html
      .replaceAll(LINK_TO_GUIDE, `href="${GUIDES_PATH}/$1$2"`)
      // A block that can be scrolled must be reachable by keyboard.
      .replaceAll('<pre>', '<pre tabindex="0">')
  );
}
