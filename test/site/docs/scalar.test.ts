import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { interactivePage } from '../../../src/site/docs/pages.ts';
import { BUILT_SCRIPT, extractScript, openScalar, SCALAR_PACKAGE } from '../../../src/site/docs/scalar.ts';
import { createBrand } from '../../../src/site/layout/brand.ts';

/** An installation with these files: the folder of the program, as `src` or `dist`. */
function install(t: TestContext, files: Record<string, string>): { folder: string; root: URL } {
  const folder = mkdtempSync(join(tmpdir(), 'votary-scalar-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { folder, root: pathToFileURL(`${folder}/program/`) };
}

const MODULE = 'import "x";\nvar standalone_default = "let a = \\"é\\";\\n";\nexport { y };\n';
const PACKAGE = {
  [`node_modules/${SCALAR_PACKAGE}/package.json`]:
    '{ "type": "module", "exports": { "default": "./index.js" } }',
  [`node_modules/${SCALAR_PACKAGE}/index.js`]: MODULE,
};

test('a clone reads the script from the module of the development dependency', async (t) => {
  const read = openScalar(install(t, PACKAGE).root);
  assert.equal(String(await read?.()), 'let a = "é";\n');
});

test('the package reads the file that the build wrote, also after the files were deleted, and again', async (t) => {
  const { folder, root } = install(t, { ...PACKAGE, [`program/${BUILT_SCRIPT}`]: 'built' });
  const read = openScalar(root);
  rmSync(folder, { recursive: true });
  assert.equal(String(await read?.()), 'built');
  assert.equal(String(await read?.()), 'built');
});

test('a module without the script fails with the name of its package', () => {
  assert.throws(
    () => extractScript('export const x = 1;'),
    /was not found in @scalar\/fastify-api-reference/,
  );
});

test('without development dependencies the reference links to the document and the guides', (t) => {
  assert.equal(openScalar(install(t, {}).root), undefined);
  for (const [locale, sentence] of [
    ['en', 'The interactive reference is not installed on this server'],
    ['fr', 'La référence interactive n’est pas installée sur ce serveur'],
  ] as const) {
    const page = interactivePage(
      {
        ...{ locale, person: null, path: '/docs', csrfToken: '', origin: 'https://votes.example.org' },
        ...{ isFormResponse: false, isOperator: false, isReadOnly: false, isDemo: false },
        brand: createBrand({ name: null, logo: null, accent: null, links: [] }),
      },
      { styles: '/docs/files/docs.css', start: '/docs/files/reference.js', scalar: null },
    );
    assert.ok(page.includes(sentence));
    assert.match(page, /<main class="noscript" id="authentication">[\s\S]*href="\/v7\/openapi\.json"/);
    assert.match(page, /href="\/docs\/guides\/curl"/);
    assert.doesNotMatch(page, /scalar|reference\.js|<noscript>/);
  }
});
