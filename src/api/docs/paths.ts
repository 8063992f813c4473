import type { FileName } from './files.ts';

export const DOCS_PATH = '/docs';
export const FILES_PATH = '/docs/files';

/** What each file is at, so that its address changes with it. */
export type FileVersions = Record<FileName, string>;
