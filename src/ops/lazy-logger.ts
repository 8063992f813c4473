import type { FastifyBaseLogger } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent', 'child'] as const;

/** For Fastify: a request's logger, which is made when it is first used. Most requests have one line to log, and not through it. */
export function makeLazyLogger(parent: FastifyBaseLogger, bindings: Bindings): FastifyBaseLogger {
  return new LazyLogger(parent, bindings);
}

class LazyLogger implements FastifyBaseLogger {
  declare fatal: FastifyBaseLogger['fatal'];
  declare error: FastifyBaseLogger['error'];
  declare warn: FastifyBaseLogger['warn'];
  declare info: FastifyBaseLogger['info'];
  declare debug: FastifyBaseLogger['debug'];
  declare trace: FastifyBaseLogger['trace'];
  declare silent: FastifyBaseLogger['silent'];
  declare child: FastifyBaseLogger['child'];

  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  #made: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Bindings) {
    this.#parent = parent;
    this.#bindings = bindings;
  }

  get level(): string {
    return this.#parent.level;
  }

  made(): FastifyBaseLogger {
    this.#made ??= this.#parent.child(this.#bindings);
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
