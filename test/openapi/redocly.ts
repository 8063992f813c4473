import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../http/support.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The rules of redocly.yaml that a document breaks. */
export async function brokenRules(t: TestContext, document: string): Promise<string[]> {
  const file = join(await temporaryFolder(t), 'openapi.json');
  await writeFile(file, document);
  const args = ['lint', file, '--config', join(ROOT, 'redocly.yaml'), '--format', 'json'];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  // Problems make it exit with 1.
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/redocly'), args, { env, encoding: 'utf8' });
  const { problems }: { problems: { ruleId: string }[] } = JSON.parse(stdout);
  return [...new Set(problems.map(({ ruleId }) => ruleId))].toSorted();
}
