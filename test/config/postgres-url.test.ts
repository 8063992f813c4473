import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePostgresUrl } from '../../src/config/postgres-url.ts';
import { ConfigError } from '../../src/config/variables.ts';

test('a host may take three seconds to accept a connection, or what connect_timeout allows', () => {
  assert.equal(parsePostgresUrl('postgres://u@h/d').connectTimeoutMs, 3000);
  const { connectTimeoutMs, hosts } = parsePostgresUrl('postgres://u@h/d?connect_timeout=10&options=x');
  assert.equal(connectTimeoutMs, 10_000);
  assert.deepEqual(
    hosts.map(({ url }) => url),
    ['postgres://u@h/d?options=x'],
  );
  for (const value of ['0', '-1', '1.5', 'ten', '', '10000'])
    assert.throws(() => parsePostgresUrl(`postgres://u@h/d?connect_timeout=${value}`), ConfigError, value);
});
