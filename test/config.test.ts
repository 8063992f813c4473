import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError } from '../src/config/variables.ts';
import { type Config, readConfig } from '../src/config.ts';

type Environment = Record<string, string>;

const SECRET = 'a long secret of this test';
const POSTGRES = {
  VOTARY_DATABASE_URL: 'postgres://votary:hunter2hunter2@db.example/votary',
  VOTARY_SECRET: SECRET,
};

describe('a valid value is used', () => {
  const good: [env: Environment, expected: Partial<Config>][] = [
    [
      { VOTARY_DATA_DIR: '/srv/v' },
      { dataDir: '/srv/v', database: { kind: 'sqlite', path: '/srv/v/votary.db' } },
    ],
    [{ VOTARY_DATABASE_URL: 'sqlite:x/y.db' }, { database: { kind: 'sqlite', path: resolve('x/y.db') } }],
    [{ VOTARY_DATABASE_URL: 'sqlite:/srv/y.db' }, { database: { kind: 'sqlite', path: '/srv/y.db' } }],
    [POSTGRES, { database: { kind: 'postgres', url: POSTGRES.VOTARY_DATABASE_URL }, secret: SECRET }],
    [
      { ...POSTGRES, VOTARY_DATABASE_URL: 'postgresql://u@h:5433/d?sslmode=require' },
      { database: { kind: 'postgres', url: 'postgresql://u@h:5433/d?sslmode=require' } },
    ],
    ...[
      'postgres://u:p%40ss@db1:5432,db2:5433,[::1]:5434/d?target_session_attrs=read-write&sslmode=prefer',
      'postgres://u@h/d?ssl=true&sslnegotiation=direct',
      'postgres://u@db1,db2/d?sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/c.pem&sslkey=/k.pem',
      'postgres://u@%2Frun%2Fpostgresql/d',
      'postgres:///d?host=/run/postgresql',
    ].map((url): [Environment, Partial<Config>] => [
      { ...POSTGRES, VOTARY_DATABASE_URL: url },
      { database: { kind: 'postgres', url } },
    ]),
    [{ VOTARY_HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
    [{ VOTARY_RATE_LIMIT: '600' }, { rateLimit: 600 }],
    [{}, { manageRateLimit: 600 }],
    [{ VOTARY_MANAGE_RATE_LIMIT: '5' }, { manageRateLimit: 5 }],
    [
      { VOTARY_OPERATORS: '200000000000000101, 200000000000000102' },
      { operators: ['200000000000000101', '200000000000000102'] },
    ],
    [{ VOTARY_HOST: '::' }, { host: '::' }],
    [{ VOTARY_HOST: 'localhost' }, { host: 'localhost' }],
    [{ VOTARY_HOST: 'votes-1.example.org' }, { host: 'votes-1.example.org' }],
    [{ VOTARY_PORT: '443' }, { port: 443 }],
    [{ VOTARY_PORT: '0' }, { port: 0 }],
    [{ VOTARY_PORT: '65535' }, { port: 65535 }],
    [{ VOTARY_PUBLIC_URL: 'https://votes.example.org/' }, { publicUrl: 'https://votes.example.org' }],
    [
      { VOTARY_PUBLIC_URL: 'https://example.org:8443/votes/' },
      { publicUrl: 'https://example.org:8443/votes' },
    ],
    [
      { VOTARY_TLS_CERT: 'c.pem', VOTARY_TLS_KEY: '/k.pem' },
      { tlsFiles: { cert: resolve('c.pem'), key: '/k.pem' } },
    ],
    [{ VOTARY_TRUSTED_PROXIES: '10.0.0.0/8' }, { trustedProxies: ['10.0.0.0/8'] }],
    [{ VOTARY_WEBHOOK_ALLOW: '10.0.0.0/8, ::1' }, { webhookAllow: ['10.0.0.0/8', '::1'] }],
    [{ VOTARY_TRUSTED_PROXIES: '127.0.0.1, fd00::/8' }, { trustedProxies: ['127.0.0.1', 'fd00::/8'] }],
    // Public networks of proxies.
    [
      { VOTARY_TRUSTED_PROXIES: '104.16.0.0/13,2400:cb00::/32' },
      { trustedProxies: ['104.16.0.0/13', '2400:cb00::/32'] },
    ],
    [{ VOTARY_SECRET: SECRET }, { secret: SECRET }],
    [{ VOTARY_SECRET: '0123456789abcdef0123456789abcdef' }, { secret: '0123456789abcdef0123456789abcdef' }],
    [{ VOTARY_SECRET: 'a-long-enough-test-secret' }, { secret: 'a-long-enough-test-secret' }],
    [{ VOTARY_SECRET: 'abcdefghabcdefgh' }, { secret: 'abcdefghabcdefgh' }],
    [{ VOTARY_METRICS_PORT: '9464' }, { metricsPort: 9464 }],
    [
      {
        VOTARY_MAX_CONNECTIONS: '1',
        VOTARY_MAX_CONNECTIONS_PER_NETWORK: '0',
        VOTARY_MAX_PIPELINED_REQUESTS: '1000000',
      },
      {
        connectionLimits: {
          maxConnections: 1,
          maxConnectionsPerNetwork: 0,
          maxPipelinedRequests: 1_000_000,
        },
      },
    ],
    [{ VOTARY_LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    [{ VOTARY_LOG_ADDRESSES: 'network' }, { logAddresses: 'network' }],
    [
      { VOTARY_DISCORD_CLIENT_ID: '123', VOTARY_DISCORD_CLIENT_SECRET: 'abc' },
      { discord: { clientId: '123', clientSecret: 'abc' } },
    ],
    [
      { VOTARY_DISCORD_API: 'https://discord.example/api/v10/' },
      { discordApi: 'https://discord.example/api/v10' },
    ],
    [
      { VOTARY_DISCORD_PUBLIC_KEY: 'AB'.repeat(32) },
      { discordApp: { publicKey: 'ab'.repeat(32), botToken: null } },
    ],
    [{ VOTARY_DISCORD_API: 'http://127.0.0.1:4000' }, { discordApi: 'http://127.0.0.1:4000' }],
    [{ VOTARY_DISCORD_API: 'http://localhost:4000/' }, { discordApi: 'http://localhost:4000' }],
    [{ VOTARY_DISCORD_API: 'http://[::1]:4000' }, { discordApi: 'http://[::1]:4000' }],
  ];
  for (const [env, expected] of good) {
    it(JSON.stringify(env), () => assert.deepEqual({ ...readConfig(env), ...expected }, readConfig(env)));
  }
});

describe('an invalid value stops the start with one line that names it', () => {
  const ports = ['-1', '65536', '100000', '80.5', '0x50', ' 443', 'https', '1e3', '80\n90'];
  const counts = ['-1', '1000001', '2.5', '1e3', ' 10', 'many', 'off', '10\n20'];
  const proxies = [
    'true',
    '1',
    '*',
    '10/8',
    '10.0.0.0/33',
    '10.0.0.0/8,',
    'proxy.local',
    '10.0.0.0/8 10.1.0.0/16',
    'a\nb',
  ];
  const wrong: [variable: string, values: string[], others?: Environment][] = [
    [
      'VOTARY_DATABASE_URL',
      [
        'votary.db',
        'sqlite:',
        'mysql://u:topsecret@h/d',
        'postgres:u:topsecret@h',
        'postgres',
        'postgres://u:topsecret@h:99999/d',
        'postgres://u:topsecret@h o/d',
        'postgres://u:topsecret@h,/d',
        'postgres://u:topsecret@h1:5432,h2:0/d',
        'postgres://u:topsecret@h1,h2/d?target_session_attrs=standby',
        'postgres://u:topsecret@h/d?sslmode=topsecret',
        'postgres://u:topsecret@h/d?sslmod=verify-full',
        'postgres://u:topsecret@h/d?sslmode=require&sslcrl=/crl.pem',
        'postgres://u:topsecret@h/d?sslmode=verify-ca',
        'postgres://u:topsecret@h/d?sslcert=/c.pem',
        'postgres://u:topsecret@h/%',
        'postgres://u:top#secret@h/d',
        'Sqlite:x',
        ' sqlite:x',
      ],
    ],
    [
      'VOTARY_HOST',
      ['http://localhost', 'localhost:8443', '[::1]', '300.0.0.1', '127.0.0.1/8', 'a b', 'a\nb', '*'],
    ],
    ['VOTARY_PORT', ports],
    ['VOTARY_METRICS_PORT', ports],
    ['VOTARY_RATE_LIMIT', ['0', ...counts]],
    ['VOTARY_MANAGE_RATE_LIMIT', ['0', ...counts]],
    ['VOTARY_OPERATORS', ['Alex', '200000000000000101,', '1']],
    ['VOTARY_MAX_CONNECTIONS', ['0', ...counts]],
    ['VOTARY_MAX_CONNECTIONS_PER_NETWORK', counts],
    ['VOTARY_MAX_PIPELINED_REQUESTS', ['0', ...counts]],
    [
      'VOTARY_PUBLIC_URL',
      [
        'http://example.org',
        'example.org',
        'https://',
        'https://example.org/?a=1',
        'https://example.org/#a',
        'http://u:topsecret@example.org',
        'https://u:topsecret@example.org',
        'a\nb',
      ],
    ],
    ['VOTARY_TRUSTED_PROXIES', proxies],
    // Contain clients, not only proxies.
    [
      'VOTARY_TRUSTED_PROXIES',
      [
        '0.0.0.0/0',
        '::/0',
        '127.0.0.1, ::/0',
        '0.0.0.0/1',
        '128.0.0.0/7',
        '2000::/3',
        '::ffff:0:0/96',
        '10.0.0.0/0',
        'fd00::/0',
        'fc00::/6',
      ],
    ],
    ['VOTARY_SECRET', ['topsecret', 'x'.repeat(15), 'sixteen or more\nand a second line']],
    [
      'VOTARY_SECRET',
      [
        'a'.repeat(32),
        'abcdefgabcdefgabcdefg',
        '1234567123456712345671234567',
        'changeme-topsecret-0123456789',
        'please CHANGE_ME before production',
        'Change-Me-0123456789abcdef',
        'replace-me-with-64-hex-digits',
        'your-secret-goes-here-01',
        'YOUR_SECRET_0123456789',
        'a placeholder of some length',
      ],
    ],
    ['VOTARY_SECRET', ['', 'topsecret'], { VOTARY_DATABASE_URL: POSTGRES.VOTARY_DATABASE_URL }],
    ['VOTARY_LOG_LEVEL', ['verbose', 'INFO', '30', 'a\nb']],
    ['VOTARY_LOG_ADDRESSES', ['none', 'FULL', '1', 'full,off']],
    ['VOTARY_TURNSTILE_API', ['ftp://localhost', 'http://challenges.example']],
    [
      'VOTARY_DISCORD_API',
      [
        'http://discord.com/api/v10',
        'http://127.0.0.1.example.org',
        'discord.com',
        'ftp://localhost',
        'https://u:topsecret@discord.com',
        'https://discord.com/?a=1',
        'https://discord.com/#a',
        'a\nb',
      ],
    ],
    ['VOTARY_DISCORD_CLIENT_ID', [''], { VOTARY_DISCORD_CLIENT_SECRET: 'topsecret' }],
    ['VOTARY_DISCORD_CLIENT_SECRET', [''], { VOTARY_DISCORD_CLIENT_ID: '123' }],
    ['VOTARY_TLS_KEY', [''], { VOTARY_TLS_CERT: 'cert.pem' }],
    ['VOTARY_TLS_CERT', [''], { VOTARY_TLS_KEY: 'key.pem' }],
  ];
  for (const [variable, values, others = {}] of wrong) {
    for (const value of values) {
      it(`${variable}=${JSON.stringify(value)}`, () => {
        assert.throws(
          () => readConfig({ ...others, [variable]: value }),
          (error) => {
            assert.ok(error instanceof ConfigError);
            assert.ok(error.message.startsWith(`${variable} `), error.message);
            assert.doesNotMatch(error.message, /[\r\n]|topsecret|hunter2/);
            return true;
          },
        );
      });
    }
  }
});

it('a password with a special character is reported with how to write it', () => {
  const url = { VOTARY_DATABASE_URL: 'postgres://votary:top#secret@db.example/votary' };
  assert.throws(() => readConfig({ ...POSTGRES, ...url }), /percent-encoded \(# is %23/);
});
