/**
 * Flags of V8 for a process that serves requests. The part of the JavaScript heap in which objects are created is kept
 * small: under load V8 lets it grow to 52 MB, although hardly anything of a request outlives it
 * (docs/decisions/0055-memory-of-the-service.md). V8 may inline more than by default (docs/decisions/0038-plain-vote-checks.md).
 */
import module from 'node:module';
import process from 'node:process';
import v8 from 'node:v8';
import type { CliContext } from '../cli.ts';

/** The young generation doubles from 1 MiB and has 16 MiB at the end of a start, so it stays at 16. */
const MAX_YOUNG_BYTES = 14 * 1024 * 1024;
const CHECK_EVERY_MS = 100;

const FLAGS = [
  // A small part is collected often, with little to do each time: waking other threads takes longer than the work.
  '--no-parallel-scavenge',
  // What is created during the start is mostly kept. V8 concludes that the same code creates lasting objects later, for
  // each request, and the dead ones keep the rest of their request until the whole heap is collected.
  '--no-allocation-site-pretenuring',
  // A vote check runs through more small functions of Node and of ours than the default of 920 allows to inline.
  '--max-inlined-bytecode-size-cumulative=4600',
];
const DEFAULT_FLAGS = [
  '--parallel-scavenge',
  '--allocation-site-pretenuring',
  '--semi-space-growth-factor=2',
  '--max-inlined-bytecode-size-cumulative=920',
];

export type ServerFlags = {
  /** Lets the young generation grow, or not. V8 shrinks it while there is little to do, so it must be able to grow again. */
  checkYoungGeneration(): void;
  /** Sets the defaults again. */
  reset(): void;
};

export function setServerFlags(): ServerFlags {
  let mayGrow = true;
  for (const flag of FLAGS) v8.setFlagsFromString(flag);
  return {
    checkYoungGeneration() {
      if (mayGrow === youngBytes() < MAX_YOUNG_BYTES) return;
      mayGrow = !mayGrow;
      v8.setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
    },
    reset() {
      for (const flag of DEFAULT_FLAGS) v8.setFlagsFromString(flag);
    },
  };
}

function youngBytes(): number {
  return v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}

/**
 * For a service that has started. V8 rejects compiled code that was stored with other flags, so what is compiled until now
 * is stored before they change, and the rest, when the process exits, after they changed back.
 */
export function tuneV8({ storeCode }: Pick<CliContext, 'storeCode'> = {}): void {
  module.flushCompileCache();
  storeCode?.();
  const { checkYoungGeneration, reset } = setServerFlags();
  checkYoungGeneration();
  setInterval(checkYoungGeneration, CHECK_EVERY_MS).unref();
  process.once('exit', reset);
}
