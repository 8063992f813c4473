/** Runs clients/cases.json against a live server with each client whose runtime is installed. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { formatInstant, MINUTE_MS } from '../../src/domain/clock.ts';
import { isRecord } from '../../src/domain/record.ts';
import type { Goal } from '../../src/domain/votes/goal.ts';
import { type Access, CLIENTS, ROOT, type RunningClient, startClient } from './drivers.ts';
import { startLive } from './live.ts';

type Step = {
  call: string;
  arguments: Record<string, unknown>;
  expect?: unknown;
  error?: unknown;
  save?: Record<string, string>;
};
type Case = { name: string; client?: Record<string, string>; steps: Step[] };
type Vote = { user_id: string; external_id: string | null; minutes_ago: number; is_doubled?: boolean };

const { votes, goal, cases }: { votes: Vote[]; goal: Goal; cases: Case[] } = JSON.parse(
  await readFile(join(ROOT, 'clients/cases.json'), 'utf8'),
);

const live = await startLive();

for (const client of CLIENTS) {
  describe(client.name, { skip: client.skip }, () => {
    let running: RunningClient;
    let access: Access;
    const saved = new Map<string, unknown>();

    before(async () => {
      const community = await live.addCommunity();
      await community.setGoal(goal);
      for (const { user_id, external_id, minutes_ago, is_doubled = false } of votes) {
        const vote = { userId: user_id, externalId: external_id };
        await community.cast({ ...vote, minutesAgo: minutes_ago, isDoubled: is_doubled });
      }
      access = { url: live.url, key: community.key };
      running = startClient(client, live.certificate);
    });
    after(() => running.stop());

    for (const { name, client: changes = {}, steps } of cases) {
      it(name, async () => {
        for (const { call, arguments: given, expect, error, save = {} } of steps) {
          const outcome = await running.call({ ...access, ...changes }, call, fill(given, saved));
          assertMatches(outcome, error === undefined ? { result: fill(expect, saved) } : { error }, call);
          for (const [variable, path] of Object.entries(save))
            saved.set(variable, find(outcome.result, path));
        }
      });
    }
  });
}

/** Arguments and expectations with saved values and relative times filled in. */
function fill(value: unknown, saved: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string' && value.startsWith('$')) {
    assert.ok(saved.has(value.slice(1)), `no step saved ${value}`);
    return saved.get(value.slice(1));
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, saved));
  if (!isRecord(value)) return value;
  if (typeof value.$minutes_ago === 'number')
    return formatInstant(Date.now() - value.$minutes_ago * MINUTE_MS);
  if (isRecord(value.$repeat)) {
    const { text, times } = value.$repeat;
    return Array.from({ length: Number(times) }, (_, index) => `${text}${index}`);
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, saved)]));
}

function find(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    assert.ok(typeof found === 'object' && found !== null, path);
    found = new Map<string, unknown>(Object.entries(found)).get(name);
  }
  return found;
}

/** Compares the expected fields and ignores all others. Lists must have the expected length. */
function assertMatches(actual: unknown, expected: unknown, path: string): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${path}: ${JSON.stringify(actual)} is not a list`);
    assert.equal(actual.length, expected.length, `${path}.length`);
    for (const [index, item] of expected.entries()) assertMatches(actual[index], item, `${path}.${index}`);
  } else if (!isRecord(expected)) {
    assert.deepEqual(actual, expected, `${path}: ${JSON.stringify(actual)}`);
  } else if (typeof expected.length === 'number') {
    assert.ok(Array.isArray(actual));
    assert.equal(actual.length, expected.length);
  } else if (expected.$contains !== undefined) {
    assert.ok(String(actual).includes(String(expected.$contains)), `${path}: ${actual}`);
  } else if (isRecord(expected.link)) {
    const url = new URL(String(actual));
    const { path: pathname, query } = expected.link;
    assert.deepEqual([url.pathname, Object.fromEntries(url.searchParams)], [pathname, query]);
  } else {
    assert.ok(isRecord(actual), `${path}: ${JSON.stringify(actual)}`);
    for (const [name, item] of Object.entries(expected))
      assertMatches(actual[name], item, `${path}.${name} of ${JSON.stringify(actual)}`);
  }
}
