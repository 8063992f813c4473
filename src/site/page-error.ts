import type { PageFault } from '../domain/errors.ts';

/** Something a person did that has a page of its own to explain it. Becomes that page in error-pages.ts. */
export class PageError extends Error {
  readonly fault: PageFault;

  constructor(fault: PageFault, options?: ErrorOptions) {
    super(fault, options);
    this.name = 'PageError';
    this.fault = fault;
  }
}
