import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import type { Store } from '../../store/store.ts';

const FIRST_REQUESTS_DELAY_MS = SECOND_MS;

type FirstRequestDeps = { store: Pick<Store, 'milestones'>; clock: Clock };

/** Call it for every request with a valid key, or at least for the first one. */
export type RecordFirstRequest = (guildId: string) => void;

/**
 * Records when the key of a guild was first used; later requests only check a set in memory. The guilds are written in
 * batches: after a restart all of them are new to this process, and one write per guild would slow down requests.
 */
export function createFirstRequests({ store, clock }: FirstRequestDeps): RecordFirstRequest {
  const known = new Set<string>();
  let batch: string[] = [];
  const add = (guildIds: readonly string[]): void => {
    if (batch.length === 0) setTimeout(flush, FIRST_REQUESTS_DELAY_MS).unref();
    for (const guildId of guildIds) batch.push(guildId);
  };
  const flush = (): void => {
    const guildIds = batch;
    batch = [];
    store.milestones.recordRequests(guildIds, clock()).catch(() => add(guildIds));
  };
  return (guildId) => {
    if (known.has(guildId)) return;
    known.add(guildId);
    add([guildId]);
  };
}
