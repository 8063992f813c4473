import type { GuildStore } from '../../store/store.ts';
import type { Caller } from './caller.ts';

/** More keys than this are not remembered at once: made-up keys are never remembered, so it takes as many guilds. */
const MAX_KNOWN = 100_000;

/**
 * Guilds by their key, for as long as no guild has changed in the database: a key that was regenerated or a
 * guild that was sanctioned, by whatever process, is looked up again by the next request.
 */
export class KnownCallers {
  readonly #guilds: Pick<GuildStore, 'revision'>;
  readonly #callers = new Map<string, Caller>();
  #revision: number | null = null;

  constructor(guilds: Pick<GuildStore, 'revision'>) {
    this.#guilds = guilds;
  }

  /** The state of all guilds that callers are known for. */
  get revision(): number | null {
    return this.#revision;
  }

  find(key: string): Caller | undefined {
    const revision = this.#guilds.revision();
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#callers.clear();
    }
    return this.#callers.get(key);
  }

  /** `revision` is the one from before the caller was looked up. */
  remember(key: string, caller: Caller, revision: number | null): void {
    if (revision === null || revision !== this.#revision) return;
    if (this.#callers.size >= MAX_KNOWN) this.#callers.clear();
    this.#callers.set(key, caller);
  }
}
