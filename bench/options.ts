import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FULL, QUICK, type Shape, SMOKE } from './data-sets/shape.ts';
import { type Mode, PLANS, type Plan } from './plan.ts';

export type Options = {
  mode: Mode;
  /** Prints one JSON object as the last line of standard output. */
  json: boolean;
  folder: string;
  /** Measures to run; all of them when empty. */
  only: MeasureName[];
  /** Another commit to compare the vote checks with. */
  against: string | undefined;
  shape: Shape;
  plan: Plan;
};

/** In this order. */
export const MEASURES = {
  http: 'vote checks over HTTP, with bare node:http and Express; latency at 80 % of the highest load',
  tls: 'vote checks over TLS, with bare node:https',
  postgres: 'vote checks on PostgreSQL, with node:http and one read',
  workers: 'vote checks by one and by two workers on PostgreSQL, at a limited rate',
  lists: 'a page of 1000, with a raw query; a page of 100 by guild size',
  import: '`votes import`, with one raw transaction',
  process: 'start and memory of the built package with 10,000,000 votes',
  casts: 'votes cast on both databases, with raw single-row transactions',
  claims: 'claims on both databases, with raw single-row transactions',
  waiting: 'vote checks while 1,000 clients wait at the feed, and their memory',
  webhooks: 'deliveries to 100 fast receivers, with plain fetch',
  pages: 'pages with 20,000 communities (not part of --quick: its data set takes minutes to create)',
} as const;

export type MeasureName = keyof typeof MEASURES;

export const USAGE = `npm run bench                        everything; writes docs/performance.md and its plots
npm run -s bench -- --quick --json   the ratios alone, in a few minutes once its data exists
npm run bench -- --only http,lists   some measures

  --quick        shorter rounds, and a smaller data set for PostgreSQL
  --against REF  also builds the server of another commit, and measures its vote checks in the same rounds
  --only NAMES   measures, separated by commas: see below
  --json         one JSON object as the last line of standard output
  --data FOLDER  where the data sets are kept (default: bench/data)
  --smoke        only checks that the bench works
  --help         this text

Measures:
${Object.entries(MEASURES)
  .map(([name, description]) => `  ${name.padEnd(12)} ${description}\n`)
  .join('')}`;

const SHAPES: Record<Mode, Shape> = { full: FULL, quick: QUICK, smoke: SMOKE };

/** Returns `help` when the text above is asked for. Throws an error that explains what is wrong. */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      against: { type: 'string' },
      data: { type: 'string', default: join(import.meta.dirname, 'data') },
    },
  });
  if (values.help) return 'help';
  const mode = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full';
  return {
    mode,
    json: values.json,
    folder: values.data,
    only: values.only
      .split(',')
      .filter((name) => name !== '')
      .map(measureName),
    against: values.against,
    shape: SHAPES[mode],
    plan: PLANS[mode],
  };
}

function measureName(name: string): MeasureName {
  if (isMeasureName(name)) return name;
  throw new Error(`There is no measure "${name}".`);
}

function isMeasureName(name: string): name is MeasureName {
  return Object.hasOwn(MEASURES, name);
}
