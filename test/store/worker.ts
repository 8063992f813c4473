/** A process of its own for processes.ts: gets ready, waits for "go", does its task, answers, and ends. */
import { once } from 'node:events';
import { migrateDatabase, openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { Task } from './processes.ts';

const task: Task = JSON.parse(process.argv[2] ?? '');
const store = task.kind === 'migrate' ? undefined : await openStore(task.database);
await store?.ping();
process.send?.('ready');
await once(process, 'message');
process.send?.(await perform(task, store));
await store?.close();
process.disconnect?.();

async function perform(work: Task, opened: Store | undefined): Promise<number> {
  if (work.kind === 'migrate' || !opened) return (await migrateDatabase(work.database)).applied.length;
  if (work.kind === 'cast') {
    const outcomes = await repeat(work.times, () => opened.votes.cast(work.vote));
    return outcomes.filter((outcome) => outcome.accepted).length;
  }
  const windows = await repeat(work.times, () => opened.rates.hit(work.caller, work.limit, work.now));
  return Math.max(...windows.map((window) => window.hits));
}

function repeat<T>(times: number, act: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, act));
}
