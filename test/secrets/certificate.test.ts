import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { ConfigError } from '../../src/config/variables.ts';
import { readConfig } from '../../src/config.ts';
import { DAY_MS } from '../../src/domain/clock.ts';
import { loadCertificate, tlsOptions } from '../../src/secrets/certificate.ts';
import { portOf, temporaryFolder, testConfig } from '../http/support.ts';

const NOW = Date.now();

async function refusal(t: TestContext, cert: string, key: string): Promise<string> {
  const config = await testConfig(t, { VOTARY_TLS_CERT: cert, VOTARY_TLS_KEY: key });
  const error = await loadCertificate(config, NOW).then(
    () => assert.fail('the files were accepted'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConfigError);
  assert.ok(!error.message.includes('\n'));
  return error.message;
}

async function givenPair(t: TestContext): Promise<{ cert: string; key: string }> {
  const config = await testConfig(t);
  await loadCertificate(config, NOW);
  return { cert: join(config.dataDir, 'tls/cert.pem'), key: join(config.dataDir, 'tls/key.pem') };
}

test('the configured certificate is used', async (t) => {
  const files = await givenPair(t);
  const config = await testConfig(t, { VOTARY_TLS_CERT: files.cert, VOTARY_TLS_KEY: files.key });
  const { cert, key, isSelfSigned } = await loadCertificate(config, NOW);
  assert.equal(isSelfSigned, false);
  assert.equal(cert, await readFile(files.cert, 'utf8'));
  assert.equal(key, await readFile(files.key, 'utf8'));
});

test('a missing certificate file is reported with its variable', async (t) => {
  const { key } = await givenPair(t);
  assert.match(await refusal(t, '/no/such.pem', key), /^VOTARY_TLS_CERT .*\/no\/such\.pem: no such file/);
});

test('a missing key file is reported with its variable', async (t) => {
  const { cert } = await givenPair(t);
  assert.match(await refusal(t, cert, '/no/such.pem'), /^VOTARY_TLS_KEY .*\/no\/such\.pem: no such file/);
});

test('a file that is not PEM is reported with its variable', async (t) => {
  const { cert, key } = await givenPair(t);
  const noise = join(await temporaryFolder(t), 'noise.pem');
  await writeFile(noise, 'not a certificate');
  assert.match(await refusal(t, noise, key), /^VOTARY_TLS_CERT must be a PEM file with a certificate/);
  assert.match(await refusal(t, cert, noise), /^VOTARY_TLS_KEY must be a PEM file with a private key/);
});

test('swapped certificate and key are rejected', async (t) => {
  const { cert, key } = await givenPair(t);
  assert.match(await refusal(t, key, cert), /^VOTARY_TLS_CERT must be a PEM file with a certificate/);
});

test('a key of another certificate is rejected', async (t) => {
  const [one, other] = [await givenPair(t), await givenPair(t)];
  assert.match(await refusal(t, one.cert, other.key), /^VOTARY_TLS_KEY does not match the certificate/);
});

test('the self-signed certificate is created once and kept, and only its owner can read the key', async (t) => {
  const config = await testConfig(t);
  const first = await loadCertificate(config, NOW);
  const second = await loadCertificate(config, NOW + 3000 * DAY_MS);
  assert.equal(first.isSelfSigned, true);
  assert.deepEqual(second, first);
  assert.equal((await stat(join(config.dataDir, 'tls/key.pem'))).mode & 0o777, 0o600);
  assert.deepEqual((await readdir(join(config.dataDir, 'tls'))).sort(), ['cert.pem', 'key.pem']);
});

test('the self-signed certificate contains every address of the service and is valid for ten years', async (t) => {
  const config = await testConfig(t, {
    VOTARY_HOST: '192.0.2.7',
    VOTARY_PUBLIC_URL: 'https://votes.example.org/api',
  });
  const certificate = new X509Certificate((await loadCertificate(config, NOW)).cert);
  for (const name of ['localhost', 'votes.example.org']) assert.ok(certificate.checkHost(name), name);
  for (const address of ['127.0.0.1', '::1', '192.0.2.7']) assert.ok(certificate.checkIP(address), address);
  assert.equal(certificate.checkHost('example.org'), undefined);
  assert.ok(certificate.validToDate.getTime() > NOW + 3649 * DAY_MS);
  assert.ok(certificate.validFromDate.getTime() < NOW);
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
});

test('an expired self-signed certificate is replaced', async (t) => {
  const config = await testConfig(t);
  const first = await loadCertificate(config, NOW);
  const later = await loadCertificate(config, NOW + 3651 * DAY_MS);
  assert.notEqual(later.cert, first.cert);
  assert.ok(new X509Certificate(later.cert).validToDate.getTime() > NOW + 7000 * DAY_MS);
});

test('the self-signed certificate is replaced when the service gets another name', async (t) => {
  const config = await testConfig(t);
  const first = await loadCertificate(config, NOW);
  const renamed = { ...config, publicUrl: 'https://votes.example.org' };
  const second = await loadCertificate(renamed, NOW);
  assert.notEqual(second.cert, first.cert);
  assert.ok(new X509Certificate(second.cert).checkHost('votes.example.org'));
  assert.deepEqual(await loadCertificate(renamed, NOW), second);
});

test('a damaged self-signed certificate or key is replaced, and the pair matches', async (t) => {
  const config = await testConfig(t);
  for (const file of ['tls/cert.pem', 'tls/key.pem']) {
    await loadCertificate(config, NOW);
    await writeFile(join(config.dataDir, file), '-----BEGIN nonsense');
    const { cert, key } = await loadCertificate(config, NOW);
    assert.doesNotThrow(() => createServer({ cert, key }));
    assert.equal(await readFile(join(config.dataDir, 'tls/key.pem'), 'utf8'), key);
  }
});

test('processes that start at the same moment all get a matching pair and the same key', async (t) => {
  const config = await testConfig(t);
  const pairs = await Promise.all(Array.from({ length: 8 }, () => loadCertificate(config, NOW)));
  for (const pair of pairs) assert.doesNotThrow(() => createServer(pair));
  assert.equal(new Set(pairs.map(({ key }) => key)).size, 1);
  assert.deepEqual((await readdir(join(config.dataDir, 'tls'))).sort(), ['cert.pem', 'key.pem']);
});

test('an unusable data folder is reported with its variable', async (t) => {
  const file = join(await temporaryFolder(t), 'file');
  await writeFile(file, '');
  await chmod(file, 0o400);
  await assert.rejects(
    loadCertificate(readConfig({ VOTARY_DATA_DIR: file }), NOW),
    (error) => error instanceof ConfigError && /^VOTARY_DATA_DIR .*tls: not a directory/.test(error.message),
  );
});

test('TLS 1.2 and 1.3 are supported, TLS 1.1 is not', async (t) => {
  const certificate = await loadCertificate(await testConfig(t), NOW);
  const server = createServer(tlsOptions(certificate));
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const handshake = async (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') => {
    const socket = connect({
      port: portOf(server),
      ca: certificate.cert,
      minVersion: version,
      maxVersion: version,
      // Allows this client to offer the old version, so that it is the server that rejects it.
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    await once(socket, 'secureConnect');
    assert.equal(socket.authorized, true);
    socket.destroy();
    return socket.getProtocol() ?? version;
  };
  await handshake('TLSv1.2');
  await handshake('TLSv1.3');
  await assert.rejects(handshake('TLSv1.1'), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
});
