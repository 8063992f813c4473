/**
 * Takes a picture of every page of the accessibility tests, in both languages and themes and at three widths, to look at
 * after a change of the design:
 *
 *   npm run screenshots                     screenshots/, with index.html as a contact sheet, and docs/images/
 *   npm run screenshots -- --only vote      only pages whose address or area contains this text, without docs/images/
 *   npm run screenshots -- --docs           only docs/images/
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { takeDocsImages } from './screenshots/docs-images.ts';
import { contactSheet, type Picture, takeEveryPage } from './screenshots/every-page.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, docs: { type: 'boolean' } } });
const FOLDER = join(import.meta.dirname, '../screenshots');

if (!values.docs) {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER);
  const pictures: Picture[] = [];
  for (const locale of ['en', 'fr'] as const)
    pictures.push(...(await takeEveryPage(FOLDER, locale, values.only ?? '')));
  await writeFile(join(FOLDER, 'index.html'), contactSheet(pictures));
  process.stdout.write(`${pictures.length} pictures: ${join(FOLDER, 'index.html')}\n`);
}
if (values.only === undefined) await takeDocsImages(join(import.meta.dirname, '../docs/images'));
