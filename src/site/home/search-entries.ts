/**
 * Prepares the listed communities for searches. Folding the descriptions of 20,000 communities takes half a second, so
 * only those that have changed since the last call are prepared again, and other requests run in between.
 */
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { ListedGuild } from '../../store/guilds/listing.ts';
import type { BoardGuild } from './listing.ts';
import { type SearchEntry, searchEntry } from './search.ts';

/** Takes a few milliseconds. */
const PREPARED_AT_ONCE = 250;

/** The guilds are not used otherwise: an entry is added to each. */
type PrepareSearch = (guilds: readonly ListedGuild[]) => Promise<BoardGuild[]>;

export function createSearchEntries(): PrepareSearch {
  let previous: ReadonlyMap<string, BoardGuild> = new Map();

  return async (guilds) => {
    const prepared = new Map<string, BoardGuild>();
    let changed = 0;
    for (const guild of guilds) {
      const old = previous.get(guild.guildId);
      if (old && isSame(old, guild)) {
        prepared.set(guild.guildId, withEntry(guild, old.entry));
        continue;
      }
      prepared.set(guild.guildId, withEntry(guild, searchEntry(guild)));
      changed += 1;
      if (changed % PREPARED_AT_ONCE === 0) await yieldToRequests();
    }
    previous = prepared;
    return [...prepared.values()];
  };
}

/** Changes the object: copies of all of them would stay in memory until the whole heap is collected. */
function withEntry(guild: ListedGuild, entry: SearchEntry): BoardGuild {
  return Object.assign(guild, { entry });
}

function isSame(a: ListedGuild, b: ListedGuild): boolean {
  return a.folded === b.folded && a.description === b.description && String(a.tags) === String(b.tags);
}
