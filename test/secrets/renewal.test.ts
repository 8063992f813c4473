import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pino from 'pino';
import { DAY_MS } from '../../src/domain/clock.ts';
import { loadCertificate } from '../../src/secrets/certificate.ts';
import { CertificateRenewal } from '../../src/secrets/renewal.ts';
import { testConfig } from '../http/support.ts';

type Line = { level: string; msg: string; expires?: string };

/** A log whose lines can be waited for. */
function openLog() {
  const lines: Line[] = [];
  let onLine = (): void => {};
  const options = { formatters: { level: (level: string) => ({ level }) } };
  const logger = pino(options, {
    write: (line) => {
      lines.push(JSON.parse(line));
      onLine();
    },
  });
  const until = async (message: string): Promise<void> => {
    while (!lines.some(({ msg }) => msg === message))
      await new Promise<void>((resolve) => (onLine = resolve));
  };
  return { logger, lines, until };
}

/** The files of a new self-signed pair. */
async function makePair(t: TestContext): Promise<string> {
  const config = await testConfig(t);
  await loadCertificate(config, Date.now());
  return join(config.dataDir, 'tls');
}

async function openRenewal(t: TestContext, clock: () => number = Date.now) {
  const folder = await makePair(t);
  const config = await testConfig(t, {
    VOTARY_TLS_CERT: join(folder, 'cert.pem'),
    VOTARY_TLS_KEY: join(folder, 'key.pem'),
  });
  const certificate = await loadCertificate(config, Date.now());
  const log = openLog();
  const used: unknown[] = [];
  const server = { setSecureContext: (context: object) => void used.push(Reflect.get(context, 'cert')) };
  const renewal = new CertificateRenewal({
    ...{ config, clock, server, certificate },
    logger: log.logger,
    checkEveryMs: 5,
  });
  t.after(() => renewal.stop());
  return { folder, certificate, renewal, used, ...log };
}

test('a changed certificate is used without a signal', async (t) => {
  const { folder, used, until, certificate } = await openRenewal(t);
  await cp(await makePair(t), folder, { recursive: true });
  await until('certificate loaded');
  assert.equal(used.length >= 1, true);
  assert.notEqual(used.at(-1), certificate.cert);
});

test('unusable files leave the certificate in place', async (t) => {
  const { folder, used, until, renewal } = await openRenewal(t);
  const { expiresAt } = renewal;
  await writeFile(join(folder, 'cert.pem'), 'half a file');
  await until('the certificate cannot be loaded; the current one stays in use');
  assert.deepEqual(used, []);
  assert.equal(renewal.expiresAt, expiresAt);
});

test('a warning is logged at the start and every day from 14 days before the certificate expires', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = Date.now();
  const { renewal, lines } = await openRenewal(t, () => now);
  assert.deepEqual(lines, []);
  now = renewal.expiresAt - 14 * DAY_MS;
  t.mock.timers.tick(DAY_MS);
  assert.deepEqual(lines, []);
  now += 1;
  t.mock.timers.tick(DAY_MS);
  now += DAY_MS;
  t.mock.timers.tick(DAY_MS);
  now = renewal.expiresAt;
  t.mock.timers.tick(DAY_MS);
  const expires = new Date(renewal.expiresAt).toISOString();
  assert.deepEqual(
    lines.map(({ level, msg, expires: until }) => ({ level, msg, until })),
    [
      { level: 'warn', msg: 'the certificate expires soon', until: expires },
      { level: 'warn', msg: 'the certificate expires soon', until: expires },
      { level: 'error', msg: 'the certificate has expired', until: expires },
    ],
  );
});

test('an expired certificate is reported when the service starts', async (t) => {
  const { lines } = await openRenewal(t, () => Date.now() + 100 * 365 * DAY_MS);
  assert.deepEqual(
    lines.map(({ level, msg }) => ({ level, msg })),
    [{ level: 'error', msg: 'the certificate has expired' }],
  );
});
