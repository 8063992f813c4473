const FIRST = 8;
const MOST = 1024;

/**
 * Whether the next group of writes is expected to be plain: nothing is refused, and nothing else depends on its writes. Such
 * a group needs fewer messages. If it was not plain after all, nothing is stored and it is written again, in steps; so the
 * more often that happens, the more plain groups must come before the next attempt.
 */
export class PlainGroups {
  readonly #least: number;
  #needed: number;
  #inARow = 0;

  constructor(least = FIRST) {
    this.#least = least;
    this.#needed = least;
  }

  isExpected(): boolean {
    return this.#inARow >= this.#needed;
  }

  noteSteps(isPlain: boolean): void {
    this.#inARow = isPlain ? this.#inARow + 1 : 0;
  }

  noteAttempt(isPlain: boolean): void {
    if (isPlain) this.#needed = Math.max(this.#needed - 1, this.#least);
    else {
      this.#needed = Math.min(this.#needed * 2, MOST);
      this.#inARow = 0;
    }
  }
}
