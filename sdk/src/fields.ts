/**
 * Reads and checks the fields of a JSON object by name. A field that is missing or has another type throws a
 * `FieldError` with its name, so the types of this package are correct even if something else sent the response.
 *
 *   const fields = new Fields(body);
 *   const vote = { userId: fields.text('user_id'), timestamp: fields.date('timestamp') };
 */
export class Fields {
  readonly #values: Map<string, unknown>;
  readonly #path: string;

  constructor(value: unknown, path = '') {
    if (!isObject(value)) throw new FieldError(path || 'the body', 'an object');
    this.#values = new Map(Object.entries(value));
    this.#path = path;
  }

  text(name: string): string {
    const value = this.#values.get(name);
    if (typeof value !== 'string') throw new FieldError(this.#at(name), 'a string');
    return value;
  }

  flag(name: string): boolean {
    const value = this.#values.get(name);
    if (typeof value !== 'boolean') throw new FieldError(this.#at(name), 'true or false');
    return value;
  }

  number(name: string): number {
    const value = this.#values.get(name);
    if (typeof value !== 'number') throw new FieldError(this.#at(name), 'a number');
    return value;
  }

  date(name: string): Date {
    const date = new Date(this.text(name));
    if (Number.isNaN(date.getTime())) throw new FieldError(this.#at(name), 'a date');
    return date;
  }

  /** Also null if the field is missing. */
  textOrNull(name: string): string | null {
    return this.has(name) ? this.text(name) : null;
  }

  dateOrNull(name: string): Date | null {
    return this.has(name) ? this.date(name) : null;
  }

  numberOrNull(name: string): number | null {
    return this.has(name) ? this.number(name) : null;
  }

  object(name: string): Fields {
    return new Fields(this.#values.get(name), this.#at(name));
  }

  objectOrNull(name: string): Fields | null {
    return this.has(name) ? this.object(name) : null;
  }

  list<T>(name: string, read: (item: Fields) => T): T[] {
    const values = this.#values.get(name);
    if (!Array.isArray(values)) throw new FieldError(this.#at(name), 'a list');
    return values.map((value, index) => read(new Fields(value, `${this.#at(name)}[${index}]`)));
  }

  /** All fields, unchecked. */
  toObject(): Record<string, unknown> {
    return Object.fromEntries(this.#values);
  }

  /** The unchecked value. */
  raw(name: string): unknown {
    return this.#values.get(name);
  }

  has(name: string): boolean {
    return (this.#values.get(name) ?? null) !== null;
  }

  #at(name: string): string {
    return this.#path ? `${this.#path}.${name}` : name;
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns `undefined` for text that is not JSON, instead of throwing. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON value does not have the documented fields. Internal: callers get a `VotaryError` instead. */
export class FieldError extends Error {
  constructor(what: string, expected: string) {
    super(`${what} is not ${expected}`);
    this.name = 'FieldError';
  }
}
