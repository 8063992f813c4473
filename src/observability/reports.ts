/** Events that can occur thousands of times a second: each one is counted, and one line per minute is logged. */
import type { Logger } from 'pino';
import { callerNetwork } from '../domain/address.ts';
import { type Clock, type Instant, MINUTE_MS } from '../domain/clock.ts';
import { systemCode } from '../domain/system-error.ts';
import type { ClientError, ReportClientError } from '../http/client-errors.ts';
import type { ConnectionLimit, ReportLimit } from '../http/connection-limits.ts';
import type { LocalCountObserver } from '../store/rates.ts';
import type { Metrics } from './metrics.ts';

/** What the log says when a limit on connections is applied. */
const LIMIT_MESSAGES: Record<ConnectionLimit, string> = {
  connections: 'connection closed: VOTARY_MAX_CONNECTIONS connections are open',
  connections_per_network:
    'connection closed: its network has VOTARY_MAX_CONNECTIONS_PER_NETWORK connections open',
  pipelined_requests:
    'connection closed: it sent more than VOTARY_MAX_PIPELINED_REQUESTS requests without waiting for a response',
  pipelined_requests_total: 'connection closed: too many pipelined requests are waiting on all connections',
  unread_output: 'connection closed: the client does not read its response',
  slow_reading: 'connection closed: the client reads its response too slowly',
  file_descriptors:
    'new connections are closed: no file descriptors are left; raise the limit (ulimit -Hn, LimitNOFILE=) above VOTARY_MAX_CONNECTIONS',
};

type LimitReportDeps = {
  logger: Logger;
  metrics: { connectionLimited(limit: ConnectionLimit): void };
  clock: Clock;
};

export function createLimitReport({ logger, metrics, clock }: LimitReportDeps): ReportLimit {
  const countUnlogged = countUntilLogged<ConnectionLimit>(clock);
  return (limit, network) => {
    metrics.connectionLimited(limit);
    const times = countUnlogged(limit);
    if (times > 0) logger.warn({ limit, times, network }, LIMIT_MESSAGES[limit]);
  };
}

type ClientErrorReportDeps = {
  logger: Logger;
  metrics: { clientError(code: ClientError): void };
  clock: Clock;
};

/** These requests never reach the request log. */
export function createClientErrorReport({
  logger,
  metrics,
  clock,
}: ClientErrorReportDeps): ReportClientError {
  const countUnlogged = countUntilLogged<ClientError>(clock);
  return (code, error, { remoteAddress }) => {
    metrics.clientError(code);
    const times = countUnlogged(code);
    if (times === 0) return;
    const network = remoteAddress === undefined ? undefined : callerNetwork(remoteAddress);
    logger.info({ error: code, reason: systemCode(error), times, network }, 'malformed request refused');
  };
}

type LocalCountDeps = {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  metrics: Pick<Metrics, 'locallyCounted'>;
};

/** Counts requests that the shared counter could not count, and logs at most one line per minute about them. */
export function createLocalCountReport({ clock, logger, metrics }: LocalCountDeps): LocalCountObserver {
  const countUnlogged = countUntilLogged<'local'>(clock);
  return (cause) => {
    metrics.locallyCounted();
    const requests = countUnlogged('local');
    if (requests > 0) logger.warn({ err: cause, requests }, 'requests are counted by this process alone');
  };
}

/**
 * Allows one log line per minute and kind, so that a flood does not fill the log. Returns how often the kind occurred
 * since the last line if another is due, otherwise 0.
 */
function countUntilLogged<Kind extends string>(clock: Clock): (kind: Kind) => number {
  const loggedAt = new Map<Kind, Instant>();
  const unlogged = new Map<Kind, number>();
  return (kind) => {
    const times = (unlogged.get(kind) ?? 0) + 1;
    unlogged.set(kind, times);
    const now = clock();
    if (now - (loggedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return 0;
    loggedAt.set(kind, now);
    unlogged.set(kind, 0);
    return times;
  };
}
