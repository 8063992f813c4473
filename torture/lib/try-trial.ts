import type { EventEmitter } from 'node:events';
import type { Scale, Trial, TrialResult } from './promise.ts';

/** The report of a trial. `faults` is the number of errors; `broken` lists the first of them. */
export type Report = { name: string; held: boolean; seconds: number; faults: number } & Record<
  string,
  unknown
>;

export type TryOptions = {
  scale: Scale;
  say: (text: string) => void;
  /** Where unhandled errors are reported. */
  strayErrors?: EventEmitter;
};

const LISTED = 20;

/** Runs a trial to its end or time limit. An error breaks its own promise, and no other trial. */
export async function tryTrial(trial: Trial, options: TryOptions): Promise<Report> {
  const { say } = options;
  say(`\n▶ ${trial.name}: ${trial.promise}`);
  const start = performance.now();
  const { broken, counts } = await runWithinLimit(trial, options).catch(
    (error: unknown): TrialResult => ({ broken: [inWords(error)], counts: {} }),
  );
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  const listed = broken.slice(0, LISTED);
  for (const line of listed) say(`  ✖ ${line}`);
  const held = broken.length === 0;
  if (held) say(`  ✔ held, ${seconds} s: ${JSON.stringify(counts)}`);
  return {
    name: trial.name,
    held,
    seconds,
    ...counts,
    faults: broken.length,
    ...(held ? {} : { broken: listed }),
  };
}

function runWithinLimit(
  trial: Trial,
  { scale, say, strayErrors = process }: TryOptions,
): Promise<TrialResult> {
  const { promise, resolve, reject } = Promise.withResolvers<TrialResult>();
  const seconds = scale.trialSeconds + (trial.extraSeconds?.(scale) ?? 0);
  const limit = setTimeout(
    () => reject(new Error(`it was not over after ${seconds} seconds`)),
    seconds * 1000,
  );
  strayErrors.on('uncaughtException', reject);
  const context = { scale, say: (text: string) => say(`  ${text}`) };
  // A trial may throw before it returns a promise; that is treated the same.
  Promise.try(() => trial.run(context)).then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(limit);
    strayErrors.off('uncaughtException', reject);
  });
}

function inWords(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
