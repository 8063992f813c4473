import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ConfigError } from '../../src/config/variables.ts';
import { readConfig } from '../../src/config.ts';

type Environment = Record<string, string>;

const SECRET = 'a long secret of this test';
const POSTGRES = { VOTARY_DATABASE_URL: 'postgres://votary:hunter2hunter2@db.example/votary' };

describe('a variable that Votary does not know', () => {
  const cases: [name: string, suggestion: string][] = [
    ['VOTARY_DATABSE_URL', 'VOTARY_DATABASE_URL'],
    ['VOTARY_TLS_CERTIFICATE', 'VOTARY_TLS_CERT'],
    ['VOTARY_SECRETFILE', 'VOTARY_SECRET_FILE'],
    ['VOTARY_PORT_FILE', 'VOTARY_PORT'],
  ];
  for (const [name, suggestion] of cases) {
    it(`is rejected: ${name} is similar to ${suggestion}`, () => {
      const expected = `${name} is not a variable of Votary: did you mean ${suggestion}?`;
      assert.throws(
        () => readConfig({ [name]: 'x' }),
        new ConfigError(name, expected.slice(name.length + 1)),
      );
    });
  }

  it('is ignored if it is empty, or a name that integrators and tests use', () => {
    const names = [
      'VOTARY_API_KEY',
      'VOTARY_TOKEN',
      'VOTARY_WEBHOOK_SECRET',
      'VOTARY_URL',
      'VOTARY_TEST_REQUIRE',
      'HOME',
    ];
    const used = Object.fromEntries(names.map((name) => [name, 'x']));
    assert.deepEqual(readConfig({ ...used, VOTARY_PROT: '' }), readConfig({}));
  });
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'votary-config-'));
  after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('is read without its trailing line break', () => {
    const config = readConfig({
      VOTARY_DATABASE_URL_FILE: write('url', `${POSTGRES.VOTARY_DATABASE_URL}\n`),
      VOTARY_SECRET_FILE: write('secret', `${SECRET}\r\n`),
      VOTARY_DISCORD_CLIENT_ID: '1',
      VOTARY_DISCORD_CLIENT_SECRET_FILE: write('discord', 'hunter3'),
    });
    assert.deepEqual(config.database, { kind: 'postgres', url: POSTGRES.VOTARY_DATABASE_URL });
    assert.equal(config.secret, SECRET);
    assert.equal(config.discord?.clientSecret, 'hunter3');
  });

  it('that is missing, empty or set twice is reported', () => {
    const missing = join(folder, 'none');
    const problems: [env: Environment, expected: RegExp][] = [
      [
        { VOTARY_SECRET_FILE: missing },
        /^VOTARY_SECRET_FILE names a file that cannot be read: .*: no such file/,
      ],
      [{ VOTARY_SECRET_FILE: write('empty', '\n') }, /^VOTARY_SECRET_FILE names an empty file/],
      [{ VOTARY_SECRET_FILE: write('a', SECRET), VOTARY_SECRET: SECRET }, /VOTARY_SECRET are both set/],
      [{ VOTARY_SECRET_FILE: write('short', 'x') }, /^VOTARY_SECRET must be at least 16/],
    ];
    for (const [env, message] of problems)
      assert.throws(() => readConfig(env), { name: 'ConfigError', message });
  });
});

describe('Strict-Transport-Security', () => {
  const values: [given: string, header: string | null][] = [
    ['off', null],
    ['0', 'max-age=0'],
    ['300; includeSubDomains', 'max-age=300; includeSubDomains'],
    ['63072000; includeSubDomains; preload', 'max-age=63072000; includeSubDomains; preload'],
  ];
  for (const [given, header] of values) {
    it(`is ${header} with VOTARY_HSTS ${given}`, () =>
      assert.equal(readConfig({ VOTARY_HSTS: given }).hsts, header));
  }

  it('is rejected if it is neither a number of seconds nor off', () => {
    for (const given of ['yes', '-1', '300, preload', '300; evil\r\nx: y']) {
      assert.throws(() => readConfig({ VOTARY_HSTS: given }), /^ConfigError: VOTARY_HSTS must be a number/);
    }
  });
});
