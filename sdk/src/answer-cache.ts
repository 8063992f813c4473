import type { Runtime } from './runtime.ts';
import type { Answer } from './send.ts';

/** Answers are kept up to this length together: some thousand vote checks, or twenty full pages. */
const MAX_LENGTH = 2_000_000;

type Kept = { answer: Answer; keptAt: number };

/** The newest answers, each for a short time. Successes only: an error is no reason not to ask again. */
export class AnswerCache {
  readonly #kept = new Map<string, Kept>();
  readonly #cacheMs: number;
  readonly #runtime: Runtime;
  #length = 0;

  constructor(cacheMs: number, runtime: Runtime) {
    this.#cacheMs = cacheMs;
    this.#runtime = runtime;
  }

  find(key: string): Answer | undefined {
    const kept = this.#kept.get(key);
    return kept && this.#isFresh(kept) ? kept.answer : undefined;
  }

  keep(key: string, answer: Answer): void {
    if (this.#cacheMs === 0 || answer.length > MAX_LENGTH) return;
    this.#drop(key);
    this.#kept.set(key, { answer, keptAt: this.#runtime.now() });
    this.#length += answer.length;
    // The oldest come first: those that are stale, and then as many as it takes.
    for (const [oldest, kept] of this.#kept) {
      if (this.#isFresh(kept) && this.#length <= MAX_LENGTH) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#length -= this.#kept.get(key)?.answer.length ?? 0;
    this.#kept.delete(key);
  }

  /** A clock that was set back must not make an answer last. */
  #isFresh({ keptAt }: Kept): boolean {
    const age = this.#runtime.now() - keptAt;
    return age >= 0 && age < this.#cacheMs;
  }
}
