import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { openStore } from '../../../src/store/open.ts';
import { openClient } from '../../../src/store/postgres/connection/client.ts';
import { Connections } from '../../../src/store/postgres/connection/connection.ts';
import { StoreOpenError } from '../../../src/store/store.ts';
import { runOn } from '../../support/postgres/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/postgres-server.ts';

type Pair = { cert: string; private: string };

function makeAuthority(name: string): Promise<Pair> {
  return generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
}

function sign(authority: Pair, commonName: string, ip?: string): Promise<Pair> {
  return generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      ...(ip === undefined
        ? []
        : [{ name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip }] }]),
    ],
  });
}

/** The certificate is for 127.0.0.1; 127.0.0.2 is the same server under an address that the certificate lacks. */
const NAMED = '127.0.0.1';
const UNNAMED = '127.0.0.2';

describe('TLS to PostgreSQL', () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  after(() => void process.off('warning', onWarning));
  let folder: string;
  let server: PostgresServer;
  let plain: PostgresServer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-pg-tls-'));
    const [authority, other] = [await makeAuthority('authority'), await makeAuthority('other')];
    const [own, client] = [await sign(authority, 'server', NAMED), await sign(authority, 'certified')];
    server = await startPostgresServer({
      files: {
        'server.pem': own.cert,
        'server.key': own.private,
        'authority.pem': authority.cert,
        'hba.conf': 'hostssl all certified 127.0.0.0/8 cert\nhost all all 127.0.0.0/8 scram-sha-256\n',
      },
      settings: {
        listen_addresses: `${NAMED},${UNNAMED}`,
        ssl: 'on',
        ssl_cert_file: '../server.pem',
        ssl_key_file: '../server.key',
        ssl_ca_file: '../authority.pem',
        hba_file: 'hba.conf',
      },
    });
    plain = await startPostgresServer();
    await runOn(server.url, 'CREATE ROLE certified LOGIN');
    const files = { 'ca.pem': authority.cert, 'other.pem': other.cert, 'client.pem': client.cert };
    for (const [name, text] of Object.entries({ ...files, 'client.key': client.private })) {
      await writeFile(join(folder, name), text);
    }
  });
  after(async () => {
    await Promise.all([server.remove(), plain.remove()]);
    await rm(folder, { recursive: true });
  });

  /** `FILE` in a parameter is the folder of the certificates. */
  const addressOf = (parameters: string, host = NAMED, at = server) =>
    `${at.url.replace(NAMED, host)}?${parameters.replaceAll('FILE', folder)}`;

  async function isEncrypted(url: string): Promise<unknown> {
    const client = await openClient(url);
    const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    await client.end();
    return rows[0]?.ssl;
  }

  async function assertRefused(url: string, reason: RegExp): Promise<void> {
    await assert.rejects(openStore({ kind: 'postgres', url }), (error) => {
      assert.ok(error instanceof StoreOpenError, String(error));
      assert.match(error.message, reason);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  }

  const working: [string, string, boolean][] = [
    ['sslmode=disable', NAMED, false],
    ['', NAMED, false],
    ['sslmode=prefer', UNNAMED, true],
    ['sslmode=require', UNNAMED, true],
    ['sslmode=require&sslrootcert=FILE/ca.pem', UNNAMED, true],
    ['sslmode=verify-ca&sslrootcert=FILE/ca.pem', UNNAMED, true],
    ['sslmode=verify-full&sslrootcert=FILE/ca.pem', NAMED, true],
    ['sslrootcert=FILE/ca.pem', NAMED, true],
  ];
  for (const [parameters, host, expected] of working) {
    test(`"${parameters}" connects to ${host} ${expected ? 'with' : 'without'} TLS`, async () => {
      assert.equal(await isEncrypted(addressOf(parameters, host)), expected);
    });
  }

  const refused: [string, string, RegExp][] = [
    ['sslmode=require&sslrootcert=FILE/other.pem', NAMED, /not signed by a known authority/],
    ['sslmode=verify-ca&sslrootcert=FILE/other.pem', NAMED, /not signed by a known authority/],
    ['sslmode=verify-full', NAMED, /not signed by a known authority/],
    ['sslmode=verify-full&sslrootcert=FILE/ca.pem', UNNAMED, /certificate is for another host name/],
    [
      'sslmode=require&sslrootcert=FILE/none.pem',
      NAMED,
      /VOTARY_DATABASE_URL has a sslrootcert that cannot be read/,
    ],
  ];
  for (const [parameters, host, reason] of refused) {
    test(`"${parameters}" rejects ${host}: ${reason.source}`, () =>
      assertRefused(addressOf(parameters, host), reason));
  }

  test('no mode makes the driver print a warning', async () => {
    assert.equal(await isEncrypted(addressOf('sslmode=require')), true);
    await setImmediate();
    assert.deepEqual(warnings, []);
  });

  test('a server without TLS is accepted with prefer, and rejected with require', async () => {
    assert.equal(await isEncrypted(addressOf('sslmode=prefer', NAMED, plain)), false);
    await assertRefused(addressOf('sslmode=require', NAMED, plain), /does not support TLS/);
  });

  test('with prefer, a server that was briefly unavailable is used with TLS again', async (t) => {
    const connections = new Connections(addressOf('sslmode=prefer'));
    t.after(() => connections.close());
    const isTls = async () => {
      const text = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      return (await connections.query<{ ssl: boolean }>({ text })).rows[0]?.ssl;
    };
    assert.equal(await isTls(), true);
    await server.stop();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(isTls());
      await server.start();
      assert.equal(await isTls(), true);
      await server.stop();
    }
    await server.start();
  });

  test('a client certificate authenticates without a password', async () => {
    const url = new URL(addressOf('sslmode=require&sslcert=FILE/client.pem&sslkey=FILE/client.key'));
    url.username = 'certified';
    url.password = '';
    assert.equal(await isEncrypted(url.href), true);
  });
});
