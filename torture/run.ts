/**
 * Tries to break what the service promises: npm run torture -- [--json] [--only NAME] [--quick] [--help]
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

const NAMES = TRIALS.map(({ name }) => name);

const USAGE = `Usage: npm run torture -- [options]

  --only NAME  test this promise only; can be repeated
  --quick      scaled down, to check the campaign itself
  --json       print one JSON document; progress goes to standard error
  -h, --help   show this help

Promises:
  ${NAMES.join('\n  ')}
`;

const values = readOptions();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const chosen = TRIALS.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
const unknown = values.only.filter((name) => !NAMES.includes(name));
if (unknown.length > 0)
  refuse(`there is no promise named ${unknown.join(', ')}; there are: ${NAMES.join(', ')}`);

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

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (error) {
    // The first sentence names the problem; the others explain how to pass positional arguments, which do not exist here.
    const [problem] = String(error instanceof Error ? error.message : error).split(/\.\s/);
    return refuse(`${problem}; see --help`);
  }
}

function refuse(reason: string): never {
  process.stderr.write(`torture: ${reason}\n`);
  process.exit(2);
}
