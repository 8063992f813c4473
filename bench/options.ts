import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FULL, type Shape, SMOKE } from './data-sets/shape.ts';
import type { Plan } from './measures/compare.ts';

export type Options = {
  mode: 'full' | 'quick' | 'smoke';
  /** Prints one JSON object as the last line of standard output. */
  json: boolean;
  folder: string;
  /** Measures to run; all of them when empty. */
  only: string[];
  shape: Shape;
  plan: Plan;
};

const PLANS: Record<Options['mode'], Plan> = {
  full: { rounds: 7, seconds: 4, warmUp: { requests: 100_000, seconds: 15 }, connections: 32 },
  quick: { rounds: 3, seconds: 0.4, warmUp: { requests: 22_000, seconds: 2.5 }, connections: 32 },
  smoke: { rounds: 1, seconds: 0.1, warmUp: { requests: 1, seconds: 0.1 }, connections: 4 },
};

export const USAGE = `npm run bench                       everything; writes docs/performance.md and its plots
npm run -s bench -- --quick --json  the ratios alone, in a minute
npm run bench -- --only http,lists  some measures: http, tls, postgres, lists, import, process, claims, waiting,
                                    pages (not part of --quick)
`;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      data: { type: 'string', default: join(import.meta.dirname, 'data') },
    },
  });
  const mode = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full';
  return {
    mode,
    json: values.json,
    folder: values.data,
    only: values.only.split(',').filter((name) => name !== ''),
    shape: mode === 'smoke' ? SMOKE : FULL,
    plan: PLANS[mode],
  };
}
