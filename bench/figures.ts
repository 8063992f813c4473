/** The result of a run, with the limit and the goal of each figure. */
import type { ClaimFigures } from './measures/claims.ts';
import type { Comparison } from './measures/compare.ts';
import { ratio } from './measures/compare.ts';
import type { ImportFigures } from './measures/import.ts';
import { type ListFigures, RAW_LIST } from './measures/lists.ts';
import { PAGE_NAMES, type PagesFigures } from './measures/pages.ts';
import type { ProcessFigures } from './measures/real-process.ts';
import { BARE, BARE_TLS, EXPRESS, ONE_READ, VOTARY } from './measures/vote-check.ts';
import type { WaitingFigures } from './measures/waiting.ts';

export type Measured = {
  http: Comparison;
  tls: Comparison;
  postgres: Comparison;
  lists: ListFigures;
  import: ImportFigures;
  process: ProcessFigures;
  claims: ClaimFigures;
  waiting: WaitingFigures;
  /** Not measured by a quick run. */
  pages?: PagesFigures;
};

export type Target = { limit: number; goal: number; isBetter: 'higher' | 'lower'; description: string };

export const TARGETS = {
  vote_check_vs_bare_http: {
    limit: 0.5,
    goal: 0.7,
    isBetter: 'higher',
    description: 'vote check on SQLite against bare `node:http` that sends the same bytes',
  },
  vote_check_vs_express: {
    limit: 2,
    goal: 3,
    isBetter: 'higher',
    description: 'vote check on SQLite against Express 5 with better-sqlite3 and express-rate-limit',
  },
  vote_check_tls_vs_bare_https: {
    limit: 0.55,
    goal: 0.75,
    isBetter: 'higher',
    description: 'the same over TLS against bare `node:https`',
  },
  vote_check_pg_vs_one_read: {
    limit: 0.6,
    goal: 0.85,
    isBetter: 'higher',
    description: 'vote check on PostgreSQL against bare `node:http` with one prepared read',
  },
  list_growth: {
    limit: 2,
    goal: 1.2,
    isBetter: 'lower',
    description: 'time of a page of 100, guild with 10,000,000 votes against one with 10,000; the worst case',
  },
  list_1000_vs_raw: {
    limit: 0.6,
    goal: 0.9,
    isBetter: 'higher',
    description: 'page of 1000 against raw `.all()` and `JSON.stringify` over bare `node:http`',
  },
  import_vs_raw: {
    limit: 0.5,
    goal: 0.8,
    isBetter: 'higher',
    description: '`votes import` against a program with one raw transaction',
  },
  rss_mb_10m: {
    limit: 200,
    goal: 120,
    isBetter: 'lower',
    description: 'memory after load, 10,000,000 votes (MB)',
  },
  start_ms_10m: {
    limit: 1000,
    goal: 500,
    isBetter: 'lower',
    description: 'start to first response, 10,000,000 votes (ms)',
  },
  claims_vs_plain_write: {
    limit: 0.25,
    goal: 0.5,
    isBetter: 'higher',
    description: 'claims on SQLite, 64 at once, against single inserts, each its own transaction',
  },
  claims_pg_vs_plain_write: {
    limit: 0.1,
    goal: 0.2,
    isBetter: 'higher',
    description: 'the same on PostgreSQL, where a claim takes several statements',
  },
  checks_with_1000_waiting_vs_idle: {
    limit: 0.85,
    goal: 0.95,
    isBetter: 'higher',
    description: 'vote checks per second with 1,000 clients waiting at the feed against none',
  },
  rss_mb_1000_waiting: {
    limit: 100,
    goal: 50,
    isBetter: 'lower',
    description: 'memory that 1,000 waiting clients add (MB)',
  },
  pages_median_ms: {
    limit: 50,
    goal: 20,
    isBetter: 'lower',
    description:
      'the slowest of listing, profile and overview, 20,000 communities, 10,000,000 votes (median, ms)',
  },
} as const satisfies Record<string, Target>;

type Key = keyof typeof TARGETS;

/** The pages are not measured by a quick run. */
export type Figures = Record<Exclude<Key, 'pages_median_ms'>, number> & { pages_median_ms?: number };

export function figuresOf(measured: Measured): Figures {
  const { http, tls, postgres, lists, import: imported, process, claims, waiting, pages } = measured;
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
    claims_vs_plain_write: rounded(claims.sqlite.ratio),
    claims_pg_vs_plain_write: rounded(claims.postgres.ratio),
    checks_with_1000_waiting_vs_idle: rounded(waiting.ratio),
    rss_mb_1000_waiting: Math.max(1, Math.round(waiting.rssMb)),
    ...(pages && { pages_median_ms: rounded(slowestMedian(pages)) }),
  };
}

function slowestMedian({ sqlite, postgres }: PagesFigures): number {
  return Math.max(...[sqlite, postgres].flatMap((times) => PAGE_NAMES.map((page) => times[page].medianMs)));
}

export function statusOf({ limit, goal, isBetter }: Target, value: number): 'goal' | 'limit' | 'missed' {
  const reaches = (bound: number) => (isBetter === 'higher' ? value >= bound : value <= bound);
  if (reaches(goal)) return 'goal';
  return reaches(limit) ? 'limit' : 'missed';
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
