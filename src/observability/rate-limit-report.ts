import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { countUntilLogged } from '../http/connection-limits.ts';
import type { LocalCountObserver } from '../store/rates.ts';
import type { Metrics } from './metrics.ts';

type Deps = { clock: Clock; logger: Pick<Logger, 'warn'>; metrics: Pick<Metrics, 'locallyCounted'> };

/** Counts requests that the shared counter could not count, and logs at most one line per minute about them. */
export function createLocalCountReport({ clock, logger, metrics }: Deps): LocalCountObserver {
  const countUnlogged = countUntilLogged<'local'>(clock);
  return (cause) => {
    metrics.locallyCounted();
    const requests = countUnlogged('local');
    if (requests > 0) logger.warn({ err: cause, requests }, 'requests are counted by this process alone');
  };
}
