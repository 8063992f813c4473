/** Loaded into a server before its own code: once a second, writes figures that only the process itself can measure. */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export type Sample = { rss: number; heap: number; handles: number; delayP99Ms: number };

const file = process.env.TORTURE_SAMPLES;
if (file) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  // The start of the program does not count.
  setTimeout(() => delay.reset(), 3000).unref();
  setInterval(() => {
    const { rss, heapUsed } = process.memoryUsage();
    const sample: Sample = {
      rss,
      heap: heapUsed,
      handles: process.getActiveResourcesInfo().length,
      // The histogram contains the whole interval between two of its ticks, so its resolution of 10 ms is subtracted.
      delayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - 10),
    };
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
  }, 1000).unref();
}
