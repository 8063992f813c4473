/**
 * Counts and times answers. Every request comes by here, so it is additions to numbers; the metrics library would
 * build and hash a set of labels for each, several times the cost. The text is Prometheus's, as the library writes it.
 */

/** A vote check takes well under a millisecond on SQLite; a page of a thousand votes some tens of them. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type RouteTally = {
  statuses: Map<number, number>;
  /** How many took at most as long as the bound of the same place, and longer than the one before. */
  withinBound: number[];
  count: number;
  seconds: number;
};

export class RequestTally {
  readonly #routes = new Map<string, RouteTally>();

  /** `route` is a pattern of ours, never an address a client chose. */
  add(route: string, status: number, seconds: number): void {
    const tally = this.#routes.get(route) ?? this.#open(route);
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    tally.count += 1;
    tally.seconds += seconds;
    const place = BOUNDS.findIndex((bound) => seconds <= bound);
    if (place !== -1) tally.withinBound[place] = (tally.withinBound[place] ?? 0) + 1;
  }

  text(): string {
    const routes = [...this.#routes];
    return [
      '# HELP votary_http_requests_total Answers given, by route and status',
      '# TYPE votary_http_requests_total counter',
      ...routes.flatMap(([route, tally]) => countLines(route, tally)),
      '',
      '# HELP votary_http_request_duration_seconds Time from when a request was read to the end of its answer',
      '# TYPE votary_http_request_duration_seconds histogram',
      ...routes.flatMap(([route, tally]) => durationLines(route, tally)),
      '',
    ].join('\n');
  }

  #open(route: string): RouteTally {
    const tally = { statuses: new Map(), withinBound: BOUNDS.map(() => 0), count: 0, seconds: 0 };
    this.#routes.set(route, tally);
    return tally;
  }
}

function countLines(route: string, { statuses }: RouteTally): string[] {
  return [...statuses].map(
    ([status, count]) => `votary_http_requests_total{route="${route}",status="${status}"} ${count}`,
  );
}

/** Each bucket holds those before it too. */
function durationLines(route: string, { withinBound, count, seconds }: RouteTally): string[] {
  const name = 'votary_http_request_duration_seconds';
  let within = 0;
  const buckets = BOUNDS.map((bound, place) => {
    within += withinBound[place] ?? 0;
    return `${name}_bucket{le="${bound}",route="${route}"} ${within}`;
  });
  return [
    ...buckets,
    `${name}_bucket{le="+Inf",route="${route}"} ${count}`,
    `${name}_sum{route="${route}"} ${seconds}`,
    `${name}_count{route="${route}"} ${count}`,
  ];
}
