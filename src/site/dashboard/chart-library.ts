import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { DAY_MS } from '../../domain/clock.ts';
import { ASSETS_PREFIX } from '../layout/assets.ts';

/** The files of the npm package: nothing is copied or loaded from another site. */
const DIRECTORY = dirname(createRequire(import.meta.url).resolve('uplot'));

const SCRIPT = { file: 'uPlot.iife.min.js', path: `${ASSETS_PREFIX}uplot.js` };
const STYLE = { file: 'uPlot.min.css', path: `${ASSETS_PREFIX}uplot.css` };

/** URLs that change with the content, like those of our own files. */
export const CHART_LIBRARY = { script: versioned(SCRIPT), style: versioned(STYLE) };

export function chartLibraryRoutes(app: FastifyInstance): void {
  for (const { file, path } of [SCRIPT, STYLE]) {
    app.get(path, (_request, reply) =>
      reply.sendFile(file, DIRECTORY, { maxAge: 365 * DAY_MS, immutable: true }),
    );
  }
}

function versioned({ file, path }: { file: string; path: string }): string {
  return `${path}?v=${hash('sha256', readFileSync(`${DIRECTORY}/${file}`), 'hex').slice(0, 10)}`;
}
