import { type Clock, SECOND_MS } from '../domain/clock.ts';
import type { Maintenance } from '../domain/maintenance.ts';
import { ttlCache } from '../domain/ttl-cache.ts';
import type { Store } from '../store/store.ts';

/** How long a change by another process can take to apply here. */
const MAX_AGE_MS = SECOND_MS;

/** Reads whether votes are refused, at most once a second. */
export function createMaintenanceCheck(
  { maintenance }: Pick<Store, 'maintenance'>,
  clock: Clock,
): () => Promise<Maintenance | undefined> {
  const cache = ttlCache<Maintenance | undefined>({ clock, maxAgeMs: MAX_AGE_MS, maxEntries: 1 });
  return () => cache.get('', () => maintenance.find());
}
