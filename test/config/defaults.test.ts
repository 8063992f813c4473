import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { VARIABLES } from '../../src/config/variables.ts';
import { DEFAULT_CONNECTION_LIMITS, readConfig } from '../../src/config.ts';
import { DEFAULT_HSTS } from '../../src/http/https-gate.ts';
import { DEFAULT_RATE_LIMIT, MANAGE_RATE_LIMIT } from '../../src/store/rates.ts';
import { DEFAULT_VOTING } from '../../src/voting/settings.ts';

describe('with an empty environment the service', () => {
  it('runs on SQLite in ./data, on loopback port 8443, with its own TLS certificate', () => {
    assert.deepEqual(readConfig({}), {
      database: { kind: 'sqlite', path: resolve('data/votary.db') },
      dataDir: resolve('data'),
      host: '127.0.0.1',
      port: 8443,
      publicUrl: null,
      tlsFiles: null,
      trustedProxies: null,
      secret: null,
      secretPrevious: null,
      hsts: 'max-age=31536000',
      drainSeconds: 0,
      poolSize: 10,
      metricsHost: '127.0.0.1',
      metricsPort: null,
      connectionLimits: {
        maxConnections: 10_000,
        maxConnectionsPerNetwork: 2000,
        maxPipelinedRequests: 100,
      },
      rateLimit: 30,
      manageRateLimit: 600,
      minAccountAgeDays: 7,
      keepVotesDays: null,
      networkVotes: { challengeFrom: 5, refuseAbove: 60 },
      turnstile: null,
      operators: [],
      webhookAllow: [],
      discord: null,
      discordApp: { publicKey: null, botToken: null },
      discordApi: null,
      site: { name: null, logo: null, accent: null, links: [] },
      logLevel: null,
      logAddresses: 'full',
    });
  });

  it('treats empty values as absent', () => {
    const empty = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, '']));
    assert.deepEqual(readConfig(empty), readConfig({}));
  });

  it('has the defaults that the code uses without a configuration', () => {
    const { minAccountAgeDays, networkVotes, connectionLimits, hsts, ...config } = readConfig({});
    assert.deepEqual({ minAccountAgeDays, networkVotes, turnstile: null }, DEFAULT_VOTING);
    assert.deepEqual(connectionLimits, DEFAULT_CONNECTION_LIMITS);
    assert.equal(hsts, DEFAULT_HSTS);
    assert.equal(config.rateLimit, DEFAULT_RATE_LIMIT.requests);
    assert.equal(config.manageRateLimit, MANAGE_RATE_LIMIT.requests);
  });

  it('gets immutable settings', () => assert.ok(Object.isFrozen(readConfig({}))));
});
