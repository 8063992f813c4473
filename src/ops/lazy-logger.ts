import type { FastifyBaseLogger } from 'fastify';

type ChildOf = FastifyBaseLogger['child'];

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * The same logger, whose children are made when they are first used: Fastify wants one for each request, and most
 * requests have one line to log, which does not go through it. All else is left as it is: Fastify asks the logger for
 * its serialisers, and would put its own in their place.
 */
export function withLazyChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const child = (...given: Parameters<ChildOf>) => new LazyLogger(() => logger.child(...given), logger.level);
  return Object.create(logger, { child: { value: child } });
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
