/** The child process of processes.ts: prepares, waits for "go", runs its task, responds, and exits. */
import { once } from 'node:events';
import { migrateDatabase, openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { claimRequest } from './claim-fixtures.ts';
import type { Task } from './processes.ts';

const task: Task = JSON.parse(process.env.TASK ?? '');
const store = task.kind === 'migrate' ? undefined : await openStore(task.database);
// Ten concurrent calls, so that every connection is open before the race starts.
await Promise.all(Array.from({ length: 10 }, () => store?.ping()));
process.send?.('ready');
await once(process, 'message');
process.send?.(await perform(task, store));
await store?.close();
process.disconnect?.();

async function perform(work: Task, opened: Store | undefined): Promise<number> {
  if (work.kind === 'migrate' || !opened) return (await migrateDatabase(work.database)).applied.length;
  if (work.kind === 'cast') {
    const outcomes = await Promise.all(work.votes.map((vote) => opened.votes.cast(vote, work.evidence)));
    return outcomes.filter((outcome) => outcome.kind === 'accepted').length;
  }
  if (work.kind === 'claim') {
    const requests = Array.from({ length: work.times }, (_, i) =>
      work.claims.map(({ guildId, identities, key }) => {
        const identity = identities[i % identities.length] ?? { userId: '' };
        const idempotency = key === null ? null : { key, requestHash: 'same' };
        return claimRequest(guildId, identity, { now: work.now, idempotency });
      }),
    );
    const results = await Promise.all(requests.flat().map((request) => opened.claims.claim(request)));
    return results.filter((result) => result.kind === 'done' && result.claimed).length;
  }
  const hits = Array.from({ length: work.times }, () => opened.rates.hit(work.caller, work.limit, work.now));
  const windows = await Promise.all(hits);
  return Math.max(...windows.map((window) => window.hits));
}
