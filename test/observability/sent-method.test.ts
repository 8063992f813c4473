import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { InjectOptions } from 'fastify';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { createLogger } from '../../src/observability/logging.ts';
import { buildServer } from '../../src/server.ts';
import { openStore } from '../../src/store/open.ts';
import { NOW, testServerDeps } from '../support/api.ts';
import { testClock } from '../support/clock.ts';

test('a request line contains the method that the client sent, also if no route has it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-methods-'));
  const store = await openStore({ kind: 'sqlite', path: join(folder, 'votary.db') });
  const lines: Record<string, unknown>[] = [];
  const write = (text: string) =>
    void lines.push(
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  const logger = createLogger('info', { write });
  const secrets = deriveSecrets('a master secret for tests');
  const app = buildServer({ ...testServerDeps(store, testClock(NOW), secrets), logger });
  const requests = [
    ['GET', '/v7/vote-check'],
    ['PROPFIND', '/v7/vote-check'],
    ['MKCOL', '/v7/vote-check'],
    ['SEARCH', '/nothing'],
  ] as const;
  for (const [method, url] of requests) await app.inject({ method, url } as InjectOptions);
  await nextTick();
  assert.deepEqual(
    lines.filter(({ msg }) => msg === 'request').map(({ method, url }) => [method, url]),
    requests,
  );
  await app.close();
  await store.close();
  await rm(folder, { recursive: true });
});
