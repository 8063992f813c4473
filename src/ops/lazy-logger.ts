import type { FastifyBaseLogger } from 'fastify';

type ChildOf = FastifyBaseLogger['child'];

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * The same logger, whose children are made when they are first used: Fastify wants one for each request, and most
 * requests have one line to log, which does not go through it.
 */
export function withLazyChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  return new LazyLogger(() => logger, logger.level);
}

class LazyLogger implements FastifyBaseLogger {
  declare fatal: FastifyBaseLogger['fatal'];
  declare error: FastifyBaseLogger['error'];
  declare warn: FastifyBaseLogger['warn'];
  declare info: FastifyBaseLogger['info'];
  declare debug: FastifyBaseLogger['debug'];
  declare trace: FastifyBaseLogger['trace'];
  declare silent: FastifyBaseLogger['silent'];

  readonly level: string;
  readonly #make: () => FastifyBaseLogger;
  #made: FastifyBaseLogger | undefined;

  constructor(make: () => FastifyBaseLogger, level: string) {
    this.#make = make;
    this.level = level;
  }

  child(...given: Parameters<ChildOf>): FastifyBaseLogger {
    return new LazyLogger(() => this.made().child(...given), this.level);
  }

  made(): FastifyBaseLogger {
    this.#made ??= this.#make();
    return this.#made;
  }
}

for (const method of METHODS) {
  Object.defineProperty(LazyLogger.prototype, method, {
    value(this: LazyLogger, ...given: unknown[]) {
      const logger = this.made();
      return Reflect.apply(logger[method], logger, given);
    },
  });
}
