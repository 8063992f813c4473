import type { Marked } from 'marked';

let loading: Promise<typeof Marked> | undefined;

/**
 * The Markdown parser, which takes 30 ms to load. Pages of the documentation alone need it, so it is loaded a second after
 * the start, or for the first of them.
 */
export function loadMarked(): Promise<typeof Marked> {
  loading ??= import('marked').then((module) => module.Marked);
  return loading;
}
