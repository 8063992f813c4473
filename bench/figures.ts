/** The figures that a run ends with, and what each has to reach. */
import type { Comparison } from './measures/compare.ts';
import { ratio } from './measures/compare.ts';
import type { ImportFigures } from './measures/import.ts';
import { type ListFigures, RAW_LIST } from './measures/lists.ts';
import type { ProcessFigures } from './measures/real-process.ts';
import { BARE, BARE_TLS, EXPRESS, ONE_READ, VOTARY } from './measures/vote-check.ts';

export type Measured = {
  http: Comparison;
  tls: Comparison;
  postgres: Comparison;
  lists: ListFigures;
  import: ImportFigures;
  process: ProcessFigures;
};

export type Target = { must: number; aim: number; isBetter: 'higher' | 'lower'; what: string };

export const TARGETS = {
  vote_check_vs_bare_http: {
    must: 0.5,
    aim: 0.7,
    isBetter: 'higher',
    what: 'vote check on SQLite against bare `node:http` that sends the same bytes',
  },
  vote_check_vs_express: {
    must: 2,
    aim: 3,
    isBetter: 'higher',
    what: 'vote check on SQLite against Express 5 with better-sqlite3 and express-rate-limit',
  },
  vote_check_tls_vs_bare_https: {
    must: 0.55,
    aim: 0.75,
    isBetter: 'higher',
    what: 'the same over TLS against bare `node:https`',
  },
  vote_check_pg_vs_one_read: {
    must: 0.6,
    aim: 0.85,
    isBetter: 'higher',
    what: 'vote check on PostgreSQL against bare `node:http` with one prepared read',
  },
  list_growth: {
    must: 2,
    aim: 1.2,
    isBetter: 'lower',
    what: 'time of a page of 100, guild of 10,000,000 votes over one of 10,000; the worst of all',
  },
  list_1000_vs_raw: {
    must: 0.6,
    aim: 0.9,
    isBetter: 'higher',
    what: 'page of 1000 against raw `.all()` and `JSON.stringify` over bare `node:http`',
  },
  import_vs_raw: {
    must: 0.5,
    aim: 0.8,
    isBetter: 'higher',
    what: '`votes import` against a program with one raw transaction',
  },
  rss_mb_10m: { must: 200, aim: 120, isBetter: 'lower', what: 'memory after a load, 10,000,000 votes (MB)' },
  start_ms_10m: {
    must: 1000,
    aim: 500,
    isBetter: 'lower',
    what: 'start to first answer, 10,000,000 votes (ms)',
  },
} as const satisfies Record<string, Target>;

export type Figures = Record<keyof typeof TARGETS, number>;

export function figuresOf({ http, tls, postgres, lists, import: imported, process }: Measured): Figures {
  return {
    vote_check_vs_bare_http: rounded(ratio(http, VOTARY, BARE)),
    vote_check_vs_express: rounded(ratio(http, VOTARY, EXPRESS)),
    vote_check_tls_vs_bare_https: rounded(ratio(tls, VOTARY, BARE_TLS)),
    vote_check_pg_vs_one_read: rounded(ratio(postgres, VOTARY, ONE_READ)),
    list_growth: rounded(Math.max(...lists.growth.map(({ growth }) => growth))),
    list_1000_vs_raw: rounded(ratio(lists.thousands, VOTARY, RAW_LIST)),
    import_vs_raw: rounded(imported.ratio),
    rss_mb_10m: Math.round(process.rssMb),
    start_ms_10m: Math.round(process.startMs),
  };
}

/** `aim`, `must`, or `short` of both. */
export function standing({ must, aim, isBetter }: Target, value: number): 'aim' | 'must' | 'short' {
  const reaches = (bound: number) => (isBetter === 'higher' ? value >= bound : value <= bound);
  if (reaches(aim)) return 'aim';
  return reaches(must) ? 'must' : 'short';
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
