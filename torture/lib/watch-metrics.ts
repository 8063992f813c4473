/** Polls the metrics port of a server. */
import { setTimeout as pause } from 'node:timers/promises';

export type MetricsWatch = {
  /** The highest resident memory since the last call, in megabytes. */
  peakMegabytes(): number;
  /** The last value of a counter or gauge, found by the start of its line. */
  value(line: string): number;
  stop(): Promise<void>;
};

const EVERY_MS = 250;
const MEGABYTE = 1024 * 1024;

export function watchMetrics(port: number): MetricsWatch {
  let text = '';
  let peak = 0;
  let isOver = false;
  const value = (line: string): number => {
    const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
    return Number(found?.slice(line.length + 1) ?? 0);
  };
  const watching = (async () => {
    for (; !isOver; await pause(EVERY_MS)) {
      text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      peak = Math.max(peak, value('process_resident_memory_bytes') / MEGABYTE);
    }
  })();
  return {
    value,
    peakMegabytes: () => {
      const highest = peak;
      peak = value('process_resident_memory_bytes') / MEGABYTE;
      return Math.round(highest);
    },
    stop: async () => {
      isOver = true;
      await watching;
    },
  };
}
