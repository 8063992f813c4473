/** Stands in for the thread that draws cards: never finishes one with a name it finds slow, and crashes on another. */
import { parentPort } from 'node:worker_threads';
import type { CardJob, CardResult } from '../../../src/site/sharing/card-worker.ts';

parentPort?.on('message', ({ id, content }: CardJob) => {
  const { name, usesSystemFonts, icon } = content;
  while (name === 'always slow' || (name === 'slow' && usesSystemFonts) || (name === 'slow icon' && icon)) {
    // Uses the processor, as a renderer does.
  }
  if (name === 'crash' && usesSystemFonts) process.exit(1);
  if (name === 'error' && usesSystemFonts) {
    return parentPort?.postMessage({ id, error: 'cannot draw' } satisfies CardResult);
  }
  const png = Buffer.from(JSON.stringify({ name, usesSystemFonts, icon }));
  parentPort?.postMessage({ id, png } satisfies CardResult);
});
