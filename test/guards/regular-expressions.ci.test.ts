/**
 * No regular expression takes more than linear time, whatever text it is applied to. recheck decides this by
 * constructing automata, and by searching for an attack where an expression has lookarounds.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { check } from 'recheck';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { buildServer } from '../../src/server.ts';
import { highlight } from '../../src/site/docs/highlight.ts';
import { NOW, onSqlite, testServerDeps } from '../support/api.ts';
import { testClock } from '../support/clock.ts';
import { placeOf, ROOT, readSources, type SourceFile, type SyntaxNode } from './syntax.ts';

type Found = { place: string; source: string; flags: string };

/** Applied to text of this project only: the highlighter, to the programs in the guides. */
const TRUSTED_TEXT = 'src/site/docs/highlight.ts';

/**
 * Only limits on steps: with limits on time, the result would depend on the speed of the machine. In 20,000 characters,
 * quadratic time is ten times the limit, and linear time far below it.
 */
const STEP_LIMITS = {
  maxAttackStringSize: 20_000,
  attackLimit: 20_000_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  timeout: null,
};

/** Without an unbounded or nested quantifier, the number of steps at each position has a limit. */
const MAY_REPEAT = /[*+]|\{\d+,\}|\)\{/;

async function faultIn({ place, source, flags }: Found): Promise<string[]> {
  if (!MAY_REPEAT.test(source)) return [];
  const { status, ...result } = await check(source, flags, STEP_LIMITS);
  if (status === 'safe') return [];
  const attack = 'attack' in result ? `, for example with ${result.attack.pattern}` : '';
  return [`${place}: /${source}/${flags} is ${status}${attack}`];
}

async function faultsIn(found: readonly Found[]): Promise<string[]> {
  const faults: string[] = [];
  for (const each of found) faults.push(...(await faultIn(each)));
  return faults;
}

const sources = readSources();

function literalsIn(file: SourceFile): Found[] {
  return file.nodes.flatMap((node) => {
    const { regex } = node;
    const isRegex = typeof regex === 'object' && regex !== null && 'pattern' in regex && 'flags' in regex;
    if (!isRegex) return [];
    return [{ place: placeOf(file, node), source: String(regex.pattern), flags: String(regex.flags) }];
  });
}

test('every regular expression in the sources takes linear time', async () => {
  const literals = sources.flatMap(literalsIn);
  assert.ok(literals.length > 100);
  const unique = new Map(literals.map((found) => [`${found.source}/${found.flags}`, found]));
  assert.deepEqual(await faultsIn([...unique.values()]), []);
});

test('expressions that take longer are found', async () => {
  const slow = [/\/+(?=\?|$)/, /\s+$/, /^(?:a|aa)+$/, /^(?:key|keykey)+[0-9]$/];
  for (const { source, flags } of slow)
    assert.equal((await faultIn({ place: '', source, flags })).length, 1, source);
});

/** The line of this project that called the constructor. */
function callerIn(stack = ''): string | undefined {
  const frame = stack
    .split('\n')
    .find((line) => /\/(?:src|sdk\/src)\/[^:?]+/.test(line) && line.includes(ROOT));
  // Without the path of the project, whose folder can be named `sdk` or `src` too.
  const place = frame?.slice(frame.indexOf(ROOT) + ROOT.length);
  return place && /(?<path>(?:sdk\/)?src\/[^:?]+)(?:\?\w+)?:(?<line>\d+):\d+/.exec(place)?.slice(1).join(':');
}

/** Runs `work` and returns the expressions that our code has built from text. */
async function recordBuilt(work: () => Promise<void>): Promise<Found[]> {
  const built: Found[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, [pattern, flags], newTarget) {
      const made: RegExp = Reflect.construct(target, [pattern, flags], newTarget);
      const place = callerIn(new Error('here').stack);
      if (place !== undefined) built.push({ place, source: made.source, flags: made.flags });
      return made;
    },
  });
  try {
    await work();
  } finally {
    globalThis.RegExp = original;
  }
  return built;
}

function isConstructor({ type, callee }: SyntaxNode): boolean {
  const isCall = type === 'NewExpression' || type === 'CallExpression';
  return (
    isCall && typeof callee === 'object' && callee !== null && 'name' in callee && callee.name === 'RegExp'
  );
}

onSqlite('regular expressions that are built from text', (open) => {
  test('take linear time too', async () => {
    const { store } = await open();
    const built = await recordBuilt(async () => {
      const deps = testServerDeps(store, testClock(NOW), deriveSecrets('a master secret for tests'));
      const app = buildServer(deps);
      await app.ready();
      await app.close();
      highlight('x', 'js');
      // Loaded again, because it builds them when it is loaded.
      await import(`${join(ROOT, 'src/domain/keys/api-key.ts')}?again`);
    });
    const places = sources.flatMap((file) =>
      file.nodes.filter(isConstructor).map((node) => placeOf(file, node)),
    );
    assert.ok(places.length > 0);
    assert.deepEqual(
      places.filter((place) => !built.some((found) => found.place === place)),
      [],
      'this test must run the code that builds every expression',
    );
    assert.deepEqual(await faultsIn(built.filter(({ place }) => !place.startsWith(TRUSTED_TEXT))), []);
  });
});
