/** A JSON value does not have the documented fields. Internal: callers get a `VotaryError` instead. */
export class FieldError extends Error {
  constructor(what: string, expected: string) {
    super(`${what} is not ${expected}`);
    this.name = 'FieldError';
  }
}
