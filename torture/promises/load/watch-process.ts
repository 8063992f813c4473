/** Loaded into a server before its own code: once a second, writes figures that only the process itself can measure. */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** `heap` is the memory in use after the last full garbage collection. */
export type Sample = { rss: number; heap: number; handles: number; delayP99Ms: number };

const COLLECT_EVERY_SAMPLES = 15;

const file = process.env.TORTURE_SAMPLES;
if (file) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  // The start of the program does not count.
  setTimeout(() => delay.reset(), 3000).unref();
  let samples = 0;
  let heap = 0;
  setInterval(() => {
    const { rss } = process.memoryUsage();
    // At this load the collector rarely runs, so the memory in use says when it last did.
    if (samples++ % COLLECT_EVERY_SAMPLES === 0) {
      globalThis.gc?.();
      heap = process.memoryUsage().heapUsed;
    }
    const sample: Sample = {
      rss,
      heap,
      handles: process.getActiveResourcesInfo().length,
      // The histogram contains the whole interval between two of its ticks, so its resolution of 10 ms is subtracted.
      delayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - 10),
    };
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
  }, 1000).unref();
}
