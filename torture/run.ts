/**
 * Tries to break what the service promises: npm run torture -- [--json] [--only NAME] [--quick]
 * Progress goes to standard error; with --json standard output is one document:
 * {"held": true, "promises": [{"name", "held", …counts}]}
 */
import { parseArgs } from 'node:util';
import { FULL, QUICK, type Scale, type Trial } from './lib/promise.ts';
import { stopSharedPostgres } from './lib/site.ts';
import { TRIALS } from './trials.ts';

type Report = { name: string; held: boolean; seconds: number } & Record<string, unknown>;

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

// Whoever breaks the run off leaves no process, database or disk behind: those are put away when the process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const promises: Report[] = [];
for (const trial of chosen) promises.push(await tryOne(trial, values.quick ? QUICK : FULL));
await stopSharedPostgres();
const held = promises.every((report) => report.held);
if (values.json) process.stdout.write(`${JSON.stringify({ held, promises })}\n`);
process.stderr.write(held ? '\n✔ every promise was held\n' : '\n✖ a promise was broken\n');
process.exit(held ? 0 : 1);

async function tryOne({ name, promise, run }: Trial, scale: Scale): Promise<Report> {
  process.stderr.write(`\n▶ ${name}: ${promise}\n`);
  const start = performance.now();
  const say = (text: string) => process.stderr.write(`  ${text}\n`);
  const { broken, counts } = await run({ scale, say }).catch((error: unknown) => ({
    broken: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    counts: {},
  }));
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  for (const line of broken) say(`✖ ${line}`);
  if (broken.length === 0) say(`✔ held, ${seconds} s: ${JSON.stringify(counts)}`);
  return { name, held: broken.length === 0, seconds, ...counts, ...(broken.length > 0 ? { broken } : {}) };
}
