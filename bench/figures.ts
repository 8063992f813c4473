/** The result of a run, with the limit and the goal of each figure. */
import { type Comparison, cpuRatio, ratio } from './measures/compare.ts';
import { RAW_IMPORT } from './measures/import.ts';
import { p99Ratio } from './measures/latency.ts';
import { type ListFigures, RAW_LIST } from './measures/lists.ts';
import { PAGE_NAMES, type PagesFigures } from './measures/pages.ts';
import type { ProcessFigures } from './measures/real-process.ts';
import {
  AGAINST,
  BARE,
  BARE_TLS,
  type CheckFigures,
  EXPRESS,
  type HttpFigures,
  ONE_READ,
  VOTARY,
} from './measures/vote-check.ts';
import type { WaitingFigures } from './measures/waiting.ts';
import { FETCH } from './measures/webhooks.ts';
import type { WorkersFigures } from './measures/workers.ts';
import { RAW_WRITES, type WriteFigures } from './measures/writes.ts';

export type Measured = {
  http: HttpFigures;
  tls: CheckFigures;
  postgres: CheckFigures;
  workers: WorkersFigures;
  lists: ListFigures;
  import: Comparison;
  process: ProcessFigures;
  casts: WriteFigures;
  claims: WriteFigures;
  waiting: WaitingFigures;
  webhooks: Comparison;
  /** Not measured by a quick run. */
  pages?: PagesFigures;
};

export type Target = { limit: number; goal: number; isBetter: 'higher' | 'lower'; description: string };

export const TARGETS = {
  vote_check_vs_bare_http: {
    limit: 0.75,
    goal: 0.85,
    isBetter: 'higher',
    description: 'CPU time of bare `node:http` that sends the same bytes against a vote check on SQLite',
  },
  vote_check_vs_express: {
    limit: 4,
    goal: 5,
    isBetter: 'higher',
    description: 'CPU time of Express 5 with better-sqlite3 and express-rate-limit against the same',
  },
  vote_check_tls_vs_bare_https: {
    limit: 0.8,
    goal: 0.9,
    isBetter: 'higher',
    description: 'CPU time of bare `node:https` against a vote check over TLS',
  },
  vote_check_pg_vs_one_read: {
    limit: 1.1,
    goal: 1.5,
    isBetter: 'higher',
    description: 'vote check on PostgreSQL against bare `node:http` with one prepared read',
  },
  list_growth: {
    limit: 1.2,
    goal: 1.05,
    isBetter: 'lower',
    description:
      'time of a page of 100, guild with 10,000,000 votes (PostgreSQL in a quick run: 1,000,000) against one with 10,000; the worst case',
  },
  list_1000_vs_raw: {
    limit: 0.8,
    goal: 0.9,
    isBetter: 'higher',
    description: 'page of 1000 against raw `.all()` and `JSON.stringify` over bare `node:http`',
  },
  import_vs_raw: {
    limit: 0.75,
    goal: 0.9,
    isBetter: 'higher',
    description: '`votes import` of the built package against a program with one raw transaction',
  },
  rss_mb_10m: {
    limit: 150,
    goal: 120,
    isBetter: 'lower',
    description: 'memory of the built package after load, 10,000,000 votes (MB)',
  },
  start_ms_10m: {
    limit: 550,
    goal: 400,
    isBetter: 'lower',
    description: 'start of the built package to its first response, 10,000,000 votes (ms)',
  },
  claims_vs_plain_write: {
    limit: 0.85,
    goal: 1.5,
    isBetter: 'higher',
    description: 'claims on SQLite, 64 at once, 50 guilds, against single inserts, each its own transaction',
  },
  claims_pg_vs_plain_write: {
    limit: 0.6,
    goal: 1,
    isBetter: 'higher',
    description: 'the same on PostgreSQL',
  },
  cast_vs_raw_sqlite: {
    limit: 0.85,
    goal: 2,
    isBetter: 'higher',
    description:
      'votes cast on SQLite, 64 at once, 50 guilds, against single inserts, each its own transaction',
  },
  cast_vs_raw_postgres: {
    limit: 0.8,
    goal: 2,
    isBetter: 'higher',
    description: 'the same on PostgreSQL',
  },
  p99_ratio_at_80: {
    limit: 2,
    goal: 1.3,
    isBetter: 'lower',
    description:
      'p99 of vote checks over HTTP at 80 % of the highest load, against bare `node:http` at the same rate',
  },
  webhooks_vs_fetch: {
    limit: 0.5,
    goal: 0.8,
    isBetter: 'higher',
    description: 'webhook deliveries per second to 100 fast receivers against plain `fetch` by one process',
  },
  workers_scaling: {
    limit: 1.4,
    goal: 1.7,
    isBetter: 'higher',
    description:
      'vote checks by two workers against one on PostgreSQL, at a limited rate, from the CPU time of the busiest process',
  },
  checks_with_1000_waiting_vs_idle: {
    limit: 0.95,
    goal: 1,
    isBetter: 'higher',
    description:
      'CPU time of a vote check without waiting clients against one with 1,000 clients waiting at the feed',
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

/** Of the measures that were run. */
export type Figures = Partial<Record<Key, number>>;

export function figuresOf(measured: Partial<Measured>): Figures {
  const { http, tls, postgres, workers, lists, process, casts, claims, waiting, webhooks, pages } = measured;
  return {
    ...(http && {
      // By CPU time: the requests per second of one core also depend on how the generator takes turns with it.
      vote_check_vs_bare_http: rounded(cpuRatio(http.comparison, VOTARY, BARE)),
      vote_check_vs_express: rounded(cpuRatio(http.comparison, VOTARY, EXPRESS)),
      p99_ratio_at_80: rounded(p99Ratio(http.latency, VOTARY, BARE)),
    }),
    ...(tls && { vote_check_tls_vs_bare_https: rounded(cpuRatio(tls.comparison, VOTARY, BARE_TLS)) }),
    ...(postgres && { vote_check_pg_vs_one_read: rounded(ratio(postgres.comparison, VOTARY, ONE_READ)) }),
    ...(workers && { workers_scaling: rounded(workers.scaling) }),
    ...(lists && {
      list_growth: rounded(Math.max(...lists.growth.map(({ growth }) => growth))),
      list_1000_vs_raw: rounded(ratio(lists.thousands, VOTARY, RAW_LIST)),
    }),
    ...(measured.import && { import_vs_raw: rounded(ratio(measured.import, VOTARY, RAW_IMPORT)) }),
    ...(process && { rss_mb_10m: Math.round(process.rssMb), start_ms_10m: Math.round(process.startMs) }),
    ...(casts && {
      cast_vs_raw_sqlite: rounded(ratio(casts.sqlite, VOTARY, RAW_WRITES)),
      cast_vs_raw_postgres: rounded(ratio(casts.postgres, VOTARY, RAW_WRITES)),
    }),
    ...(claims && {
      claims_vs_plain_write: rounded(ratio(claims.sqlite, VOTARY, RAW_WRITES)),
      claims_pg_vs_plain_write: rounded(ratio(claims.postgres, VOTARY, RAW_WRITES)),
    }),
    ...(waiting && {
      checks_with_1000_waiting_vs_idle: rounded(waiting.ratio),
      rss_mb_1000_waiting: Math.max(1, Math.round(waiting.rssMb)),
    }),
    ...(webhooks && { webhooks_vs_fetch: rounded(ratio(webhooks, VOTARY, FETCH)) }),
    ...(pages && { pages_median_ms: rounded(slowestMedian(pages)) }),
  };
}

/** This commit compared with another in the same rounds: above 1, this one is faster. */
export type AgainstFigures = Partial<Record<'http' | 'tls' | 'postgres', { requests: number; cpu: number }>>;

/** Of the vote checks that were measured on both commits. */
export function againstOf({ http, tls, postgres }: Partial<Measured>): AgainstFigures {
  const pair = (comparison: Comparison) => ({
    requests: rounded(ratio(comparison, VOTARY, AGAINST)),
    cpu: rounded(cpuRatio(comparison, VOTARY, AGAINST)),
  });
  return {
    ...(http?.comparison.has(AGAINST) && { http: pair(http.comparison) }),
    ...(tls?.comparison.has(AGAINST) && { tls: pair(tls.comparison) }),
    ...(postgres?.comparison.has(AGAINST) && { postgres: pair(postgres.comparison) }),
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

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
