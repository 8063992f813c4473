import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, readdir } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { readConfig } from '../../src/config.ts';
import { loadSelfSigned } from '../../src/secrets/certificate.ts';
import { makeHome } from '../cli/votary.ts';
import { freePort } from '../support/free-port.ts';
import { serve } from '../support/serve.ts';

async function ask(port: number, path: string) {
  const [response]: IncomingMessage[] = await once(get({ port, path, agent: false }), 'response');
  assert.ok(response);
  const { statusCode: status, headers } = response;
  return { status, connection: headers.connection, body: JSON.parse(await text(response)) };
}

describe('a service that stops behind a proxy', { timeout: 60_000 }, () => {
  it('is not ready, asks clients to close connections, and keeps responding during the drain period', async () => {
    const port = await freePort();
    const home = await makeHome({
      VOTARY_PORT: String(port),
      VOTARY_TRUSTED_PROXIES: '127.0.0.1',
      VOTARY_DRAIN_SECONDS: '2',
    });
    const served = await serve(home);
    assert.equal((await ask(port, '/readyz')).status, 200);
    const exit = once(served.process, 'exit');
    served.process.kill('SIGTERM');
    await served.untilPrinted('"stopping"');
    const ready = await ask(port, '/readyz');
    assert.deepEqual(ready, {
      status: 503,
      connection: 'close',
      body: { ok: false, reason: 'the service is stopping' },
    });
    assert.deepEqual(await ask(port, '/healthz'), { status: 200, connection: 'close', body: { ok: true } });
    assert.deepEqual(await exit, [0, null]);
  });
});

describe('a SQLite file', { timeout: 120_000 }, () => {
  const WARNING = 'another service has this SQLite file open';

  it('that two services open is reported in the log of the second while the first runs', async () => {
    const home = await makeHome({ VOTARY_PORT: '0' });
    const first = await serve(home);
    const second = await serve(home);
    assert.ok(!first.printed().includes(WARNING));
    assert.ok(second.printed().includes(WARNING));
    assert.equal(await second.stop(), 0);
    assert.equal(await first.stop('SIGKILL'), null);
    const third = await serve(home);
    assert.ok(!third.printed().includes(WARNING));
    assert.equal(await third.stop(), 0);
    assert.ok(!(await readdir(home.dataDir)).includes('votary.db.lock'));
  });
});

describe('a renewed certificate', { timeout: 60_000 }, () => {
  /** Writes a new pair to the folder that the service reads. */
  async function renew(folder: string, name: string): Promise<void> {
    const home = await makeHome();
    await loadSelfSigned(
      readConfig({ VOTARY_DATA_DIR: home.dataDir, VOTARY_PUBLIC_URL: `https://${name}` }),
      Date.now(),
    );
    await cp(join(home.dataDir, 'tls'), folder, { recursive: true });
  }

  async function open(url: string): Promise<{ socket: TLSSocket; fingerprint: string }> {
    const socket = connect({ port: Number(new URL(url).port), rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return { socket, fingerprint: socket.getPeerCertificate().fingerprint256 };
  }

  it('is used for new connections after SIGHUP, and open ones stay', async () => {
    const folder = (await makeHome()).dataDir;
    await renew(folder, 'first.example');
    const home = await makeHome({
      VOTARY_PORT: '0',
      VOTARY_TLS_CERT: join(folder, 'cert.pem'),
      VOTARY_TLS_KEY: join(folder, 'key.pem'),
    });
    const served = await serve(home);
    const first = await open(served.url);
    await renew(folder, 'second.example');
    served.process.kill('SIGHUP');
    await served.untilPrinted('certificate loaded');
    const second = await open(served.url);
    assert.notEqual(second.fingerprint, first.fingerprint);
    first.socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    const [answer] = await once(first.socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 200/);

    const broken = (await makeHome()).dataDir;
    await renew(broken, 'third.example');
    await cp(join(broken, 'cert.pem'), join(folder, 'cert.pem'));
    served.process.kill('SIGHUP');
    await served.untilPrinted('the current one stays in use');
    const third = await open(served.url);
    assert.equal(third.fingerprint, second.fingerprint);
    for (const { socket } of [first, second, third]) socket.destroy();
    assert.equal(await served.stop(), 0);
  });
});
