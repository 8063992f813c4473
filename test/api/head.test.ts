import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../support/api.ts';

/** Differ between any two requests, or describe a body that is sent. */
const OTHERS = ['date', 'x-request-id', 'ratelimit', 'set-cookie', 'transfer-encoding'];

const PATHS = [
  '/',
  '/docs',
  '/robots.txt',
  '/sitemap.xml',
  '/locale?to=fr&back=/',
  '/v7/openapi.json',
  '/v7/vote-check',
  '/v7/guild/claims',
  '/manage/v1/guilds',
];

onSqlite('HEAD', (open) => {
  for (const path of PATHS) {
    test(`has the status and the headers of GET, and no body: ${path}`, async () => {
      const api = await open();
      const get = await api.send('GET', path, { key: null });
      const head = await api.send('HEAD', path, { key: null });
      const kept = ({ headers }: typeof get) =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => !OTHERS.includes(name)));
      assert.deepEqual([head.status, head.text], [get.status, '']);
      assert.deepEqual(kept(head), kept(get));
    });
  }
});
