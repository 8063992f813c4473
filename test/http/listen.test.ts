import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fastify from 'fastify';
import { ListenError, listen, toListenError } from '../../src/http/listen.ts';
import { portOf } from './support.ts';

async function refusal(t: TestContext, host: string, port: number): Promise<string> {
  const app = fastify();
  t.after(() => app.close());
  const error = await listen(app, { host, port }).then(
    () => assert.fail('it listens'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ListenError);
  assert.ok(!error.message.includes('\n'));
  return error.message;
}

test('the service listens on the configured address', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  await listen(app, { host: '127.0.0.1', port: 0 });
  assert.equal((await fetch(`http://127.0.0.1:${portOf(app.server)}/`)).status, 404);
});

test('"localhost" is resolved to one address, so that one server handles it', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  await listen(app, { host: 'localhost', port: 0 });
  assert.equal(app.addresses().length, 1);
});

test('a port in use is reported in one line that names its variable', async (t) => {
  const other = fastify();
  t.after(() => other.close());
  await listen(other, { host: '127.0.0.1', port: 0 });
  const port = portOf(other.server);
  assert.match(
    await refusal(t, '127.0.0.1', port),
    new RegExp(`^VOTARY_PORT ${port} is in use on 127\\.0\\.0\\.1: `),
  );
});

test('an address of another machine is reported in one line that names its variable', async (t) => {
  assert.match(
    await refusal(t, '192.0.2.1', 0),
    /^VOTARY_HOST 192\.0\.2\.1 is not an address of this machine: /,
  );
});

test('a name that does not resolve is reported in one line that names its variable', async (t) => {
  assert.match(
    await refusal(t, 'no-such-host.invalid', 0),
    /^VOTARY_HOST no-such-host\.invalid does not resolve /,
  );
});

test('a port that only root can open is reported in one line that names its variable', () => {
  const denied = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
  const error = toListenError(denied, { host: '0.0.0.0', port: 443 }, 'VOTARY_PORT');
  assert.ok(error instanceof ListenError);
  assert.match(error.message, /^VOTARY_PORT 443 cannot be opened by this user: /);
});

test('any other error is passed on unchanged', () => {
  const other = new Error('something else');
  assert.equal(toListenError(other, { host: '0.0.0.0', port: 443 }, 'VOTARY_PORT'), other);
});
