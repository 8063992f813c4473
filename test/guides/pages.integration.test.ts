import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { GUIDES } from '../../src/api/openapi/introduction.ts';
import { filesOf, ROOT } from './programs.ts';
import { startDemo } from './services.ts';

const guides = Object.keys(GUIDES);

test('every guide is listed in the reference and served as a page, and their links work', async () => {
  const { url } = await startDemo();
  const agent = new Agent({ rejectUnauthorized: false });
  for (const name of guides) {
    const [answer] = await once(get(`${url}/docs/guides/${name}`, { agent }), 'response');
    assert.equal(answer.statusCode, 200, name);
    const page = (await answer.setEncoding('utf8').toArray()).join('');
    assert.match(page, /<h1>/);
    assert.doesNotMatch(page, /href="[^"]*\.md/);
  }
  agent.destroy();
  assert.deepEqual(
    (await readdir(join(ROOT, 'docs/guides'))).toSorted(),
    guides.map((name) => `${name}.md`).toSorted(),
  );
});

test('the text before each program contains its file name, because pages do not show it', async () => {
  for (const guide of guides) {
    const text = await readFile(join(ROOT, 'docs/guides', `${guide}.md`), 'utf8');
    for (const { name } of (await filesOf(guide)).filter(({ name }) => !name.endsWith('.sh'))) {
      assert.ok(text.split(` ${name}\n`)[0]?.includes(`\`${name}\``), `${guide} does not name ${name}`);
    }
  }
});

test('every guide has a program, and a test runs every program', async () => {
  const files = await readdir(import.meta.dirname, { recursive: true });
  const tests = files.filter((path) => path.endsWith('.test.ts')).map((path) => basename(path).split('.')[0]);
  for (const name of guides) {
    assert.ok((await filesOf(name)).length > 0, `${name} has no program`);
    assert.ok(tests.includes(name), `${name} has no test`);
  }
});
