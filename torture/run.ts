/**
 * Tries to break what the service promises: npm run torture -- [--json] [--only NAME] [--quick]
 * Progress goes to standard error; with --json standard output is one document:
 * {"held": true, "promises": [{"name", "held", "seconds", …counts, "faults"}]}
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FULL, QUICK } from './lib/promise.ts';
import { stopSharedPostgres } from './lib/site.ts';
import { type Report, tryTrial } from './lib/try-trial.ts';
import { TRIALS } from './trials.ts';

const PUT_AWAY_MS = 30_000;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
  },
});

const chosen = TRIALS.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
const unknown = values.only.filter((name) => !TRIALS.some((trial) => trial.name === name));
if (unknown.length > 0) {
  const names = TRIALS.map(({ name }) => name).join(', ');
  process.stderr.write(`torture: there is no promise named ${unknown.join(', ')}; there are: ${names}\n`);
  process.exit(2);
}

// No process, database or disk is left behind, however the run ends: they are removed when the process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const scale = values.quick ? QUICK : FULL;
const say = (text: string) => void process.stderr.write(`${text}\n`);
const promises: Report[] = [];
for (const trial of chosen) promises.push(await tryTrial(trial, { scale, say }));
const held = promises.every((report) => report.held);
if (values.json) process.stdout.write(`${JSON.stringify({ held, promises })}\n`);
say(held ? '\n✔ every promise was held' : '\n✖ a promise was broken');
// A database that never started or does not stop ends with the process.
await Promise.race([stopSharedPostgres().catch(() => undefined), pause(PUT_AWAY_MS)]);
process.exit(held ? 0 : 1);
