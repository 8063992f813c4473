import type { Logger } from 'pino';
import { type Clock, type Instant, MINUTE_MS } from '../../domain/clock.ts';

/** Every limit on connections, with what the log says when it is applied. */
const MESSAGES = {
  connections: 'connection closed: VOTARY_MAX_CONNECTIONS connections are open',
  connections_per_network:
    'connection closed: its network has VOTARY_MAX_CONNECTIONS_PER_NETWORK connections open',
  pipelined_requests:
    'reading paused: a connection has VOTARY_MAX_PIPELINED_REQUESTS requests without a response',
  unread_output: 'connection closed: the client does not read its response',
};

export type ConnectionLimit = keyof typeof MESSAGES;

export const CONNECTION_LIMITS = Object.keys(MESSAGES).filter(isConnectionLimit);

/** Called each time a limit is applied. `network` is the client's, where that helps to find the cause. */
export type ReportLimit = (limit: ConnectionLimit, network?: string) => void;

export type LimitReportDeps = {
  logger: Logger;
  metrics: { connectionLimited(limit: ConnectionLimit): void };
  clock: Clock;
};

/** Counts every report, but logs one line a minute for each limit: a flood must not fill the log. */
export function createLimitReport({ logger, metrics, clock }: LimitReportDeps): ReportLimit {
  const loggedAt = new Map<ConnectionLimit, Instant>();
  const unlogged = new Map<ConnectionLimit, number>();
  return (limit, network) => {
    metrics.connectionLimited(limit);
    const times = (unlogged.get(limit) ?? 0) + 1;
    unlogged.set(limit, times);
    const now = clock();
    if (now - (loggedAt.get(limit) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
    loggedAt.set(limit, now);
    unlogged.set(limit, 0);
    logger.warn({ limit, times, network }, MESSAGES[limit]);
  };
}

function isConnectionLimit(name: string): name is ConnectionLimit {
  return Object.hasOwn(MESSAGES, name);
}
