/** A JSON value lacks something that the contract promises. It stays inside this package: see where it is caught. */
export class FieldError extends Error {
  constructor(what: string, expected: string) {
    super(`${what} is not ${expected}`);
    this.name = 'FieldError';
  }
}
