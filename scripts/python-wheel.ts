/**
 * Packs the Python client as a wheel, which is a zip archive. `pip` installs it without a build, and reads name and version from the
 * name of the file.
 *
 *   node scripts/python-wheel.ts [<folder>]
 */
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ZipEntry, zip } from './zip.ts';

const FOLDER = 'clients/python';

export function buildWheel(root: string): { name: string; body: Buffer } {
  const read = (name: string) => readFileSync(join(root, FOLDER, name), 'utf8');
  const source = read('votary.py');
  const version = /^__version__ = "(.+)"$/m.exec(source)?.[1] ?? '';
  const info = `votary-${version}.dist-info`;
  const files: ZipEntry[] = [
    { name: 'votary.py', body: Buffer.from(source) },
    { name: `${info}/LICENSE`, body: Buffer.from(read('LICENSE')) },
    {
      name: `${info}/METADATA`,
      body: Buffer.from(metadata(read('pyproject.toml'), version, read('README.md'))),
    },
    {
      name: `${info}/WHEEL`,
      body: Buffer.from('Wheel-Version: 1.0\nGenerator: votary\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    },
  ];
  const record = `${info}/RECORD`;
  const lines = [
    ...files.map(({ name, body }) => `${name},sha256=${hash('sha256', body, 'base64url')},${body.length}`),
    `${record},,`,
  ];
  const body = zip([...files, { name: record, body: Buffer.from(`${lines.join('\n')}\n`) }]);
  return { name: `votary-${version}-py3-none-any.whl`, body };
}

/** The fields of pyproject.toml in the format of wheels. */
function metadata(project: string, version: string, readme: string): string {
  const value = (name: string) => new RegExp(`^${name} = "(.+)"$`, 'm').exec(project)?.[1] ?? '';
  const keywords = /^keywords = \[(.+)\]$/m.exec(project)?.[1] ?? '';
  return [
    'Metadata-Version: 2.1',
    `Name: ${value('name')}`,
    `Version: ${version}`,
    `Summary: ${value('description')}`,
    'License: MIT',
    `Keywords: ${keywords.replaceAll(/[" ]/g, '')}`,
    `Project-URL: Repository, ${value('Repository')}`,
    `Project-URL: Issues, ${value('Issues')}`,
    `Requires-Python: ${value('requires-python')}`,
    'Description-Content-Type: text/markdown',
    '',
    readme,
  ].join('\n');
}

if (import.meta.main) {
  const [target = '.'] = process.argv.slice(2);
  const { name, body } = buildWheel(join(import.meta.dirname, '..'));
  writeFileSync(join(target, name), body);
}
