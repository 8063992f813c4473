/** What CI runs: the workflows in .github. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };

const FOLDER = join(import.meta.dirname, '../../.github/workflows');
const WORKFLOWS = readdirSync(FOLDER).map((name) => ({
  name,
  text: readFileSync(join(FOLDER, name), 'utf8'),
}));

/** A tag can be moved to other code, a commit cannot. Dependabot updates the comment with the commit. */
const PINNED = /^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

test('every action is pinned to a commit and names its version', () => {
  const actions = WORKFLOWS.flatMap(({ text }) =>
    [...text.matchAll(/\buses: *(.+)$/gm)].map(([, action]) => action),
  );
  assert.ok(actions.length > 0);
  assert.deepEqual(
    actions.filter((action = '') => !PINNED.test(action)),
    [],
  );
});

test('the same action has the same version in all workflows', () => {
  const all = WORKFLOWS.flatMap(({ text }) => text.match(/(?<=\buses: *).+$/gm) ?? []);
  const names = new Set(all.map((action) => action.split('@', 1)[0]));
  assert.equal(new Set(all).size, names.size, all.join('\n'));
});

test('every workflow can only read the repository, and every job ends after a time', () => {
  for (const { name, text } of WORKFLOWS) {
    assert.match(text, /^permissions:\n {2}contents: read\n\n/m, name);
    const jobs = text.match(/^ {4}runs-on: /gm)?.length;
    assert.equal(text.match(/^ {4}timeout-minutes: \d+$/gm)?.length, jobs, name);
  }
});

test('every npm script that a workflow runs exists', () => {
  const scripts = WORKFLOWS.flatMap(({ text }) => text.match(/(?<=npm run )[\w:-]+/g) ?? []);
  assert.ok(scripts.includes('torture'));
  for (const script of scripts) assert.ok(Object.hasOwn(packageJson.scripts, script), script);
});
