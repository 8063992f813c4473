/** Compares the dashboard, the alert rules and docs/metrics.md with the metrics of a running service. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { type Service, startService } from '../../src/service.ts';
import { makeHome } from '../cli/votary.ts';
import { freePort } from '../support/free-port.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Added by the primary of several workers: see test/cli/serve/workers.ci.test.ts. */
const OF_WORKERS = ['votary_workers', 'votary_worker_restarts_total'];

type Sample = { name: string; labels: Record<string, string> };

describe('the metrics of a running service', { timeout: 300_000 }, () => {
  let database: TestDatabase;
  const scraped: Record<string, Sample[]> = {};

  before(async () => {
    database = await createTestDatabase();
    const onPostgres = { VOTARY_DATABASE_URL: database.url, VOTARY_SECRET: 'a master secret for tests' };
    scraped.postgres = await scrapeService(onPostgres);
    scraped.sqlite = await scrapeService({});
  });
  after(() => database.drop());

  for (const file of ['deploy/grafana/votary.json', 'deploy/prometheus/votary.rules.yml']) {
    test(`contain every metric and label that ${file} uses`, async () => {
      const expressions = await expressionsOf(file);
      assert.ok(expressions.length > 10);
      for (const expression of expressions) {
        for (const used of metricsIn(expression)) {
          if (used.name === 'up' || OF_WORKERS.includes(used.name)) continue;
          const samples = scraped.postgres?.filter(({ name }) => name === used.name) ?? [];
          assert.ok(samples.length > 0, `${used.name} is not exported: ${expression}`);
          for (const { label, matches } of used.matchers) {
            const isServed = samples.some(({ labels }) => matches(labels[label] ?? ''));
            assert.ok(isServed, `${used.name} has no such ${label}: ${expression}`);
          }
        }
        for (const label of groupingLabels(expression)) {
          const isKnown = scraped.postgres?.some(({ labels }) => label in labels);
          assert.ok(isKnown || ADDED_BY_PROMETHEUS.includes(label), `${label}: ${expression}`);
        }
      }
    });
  }

  test('are all documented in docs/metrics.md, which documents no others', async () => {
    const text = await readFile(join(ROOT, 'docs/metrics.md'), 'utf8');
    const rows = [...text.matchAll(/^\| `(votary_\w+)` \| (\w+) \|/gm)];
    const documented = rows.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    );
    const exported = new Set(scraped.postgres?.map(({ name }) => name).filter(isOurs));
    assert.deepEqual(documented.filter((name) => !OF_WORKERS.includes(name)).sort(), [...exported].sort());
  });

  test('are the same on SQLite, except for the pool', () => {
    const names = (samples: Sample[] = []) => new Set(samples.map(({ name }) => name).filter(isOurs));
    const onlyPostgres = [...names(scraped.postgres).difference(names(scraped.sqlite))];
    assert.deepEqual(onlyPostgres.sort(), ['votary_database_pool_connections', 'votary_database_pool_size']);
    assert.deepEqual([...names(scraped.sqlite).difference(names(scraped.postgres))], []);
  });
});

const isOurs = (name: string): boolean => name.startsWith('votary_');
const ADDED_BY_PROMETHEUS = ['job', 'instance', 'le'];

async function scrapeService(env: Record<string, string>): Promise<Sample[]> {
  const { dataDir } = await makeHome({});
  const metricsPort = String(await freePort());
  const config = readConfig({
    ...{ VOTARY_DATA_DIR: dataDir, VOTARY_PORT: '0', VOTARY_METRICS_PORT: metricsPort },
    ...env,
  });
  const service = await startService(config, { clock: Date.now, logLevel: 'silent' });
  try {
    for (const path of ['/', '/v7/vote-check?discord_id=1', '/unknown']) await visit(service, path);
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    return samplesIn(await response.text());
  } finally {
    await service.stop();
  }
}

function visit({ url }: Service, path: string): Promise<void> {
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  return new Promise((resolve, reject) => {
    const call = request(url + path, { agent }, (response) => response.resume().on('end', resolve));
    call.on('error', reject).end();
  });
}

function samplesIn(text: string): Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? assert.fail(line);
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [
      label,
      value,
    ]);
    return { name, labels: Object.fromEntries(pairs) };
  });
}

/** Every PromQL expression of a file. In YAML, an expression can continue on indented lines. */
async function expressionsOf(file: string): Promise<string[]> {
  const text = await readFile(join(ROOT, file), 'utf8');
  if (file.endsWith('.json')) {
    const { panels }: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(text);
    return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  }
  return [...text.matchAll(/^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.+)\n)/gm)].map(
    ([, block, line]) => block ?? line ?? '',
  );
}

type Matcher = { label: string; matches: (value: string) => boolean };

function metricsIn(expression: string): { name: string; matchers: Matcher[] }[] {
  const found = expression.matchAll(/\b((?:votary|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = '', selector = '']) => {
    const pairs = [...selector.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)];
    const matchers = pairs
      .filter(([, label = '']) => !ADDED_BY_PROMETHEUS.includes(label))
      // The values of `status` depend on earlier requests.
      .filter(([, label]) => label !== 'status')
      .flatMap(([, label = '', operator, value = '']) =>
        // Each alternative of a pattern must exist.
        value.split('|').map((part) => ({ label, matches: matcherOf(operator, part) })),
      );
    return { name, matchers };
  });
}

function matcherOf(operator: string | undefined, value: string): (given: string) => boolean {
  if (operator === '=') return (given) => given === value;
  if (operator === '!=') return (given) => given !== '' && given !== value;
  return (given) => new RegExp(`^(?:${value})$`).test(given);
}

function groupingLabels(expression: string): string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/,\s*/));
}
