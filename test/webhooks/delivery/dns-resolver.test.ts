import assert from 'node:assert/strict';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createResolver, type ResolverOptions } from '../../../src/webhooks/resolve.ts';
import { type NameServer, type Names, startNameServer } from '../../support/name-server.ts';

const LONG_MS = 60_000;

async function open(names: Names = {}, options: ResolverOptions = {}) {
  const server: NameServer = await startNameServer(names);
  after(() => server.close());
  const resolve = createResolver({
    servers: [server.address],
    hostsFile: '/nowhere/hosts',
    timeoutMs: LONG_MS,
    ...options,
  });
  return { server, resolve };
}

describe('resolving the host name of a webhook', () => {
  test('returns the IPv4 and IPv6 addresses of a name', async () => {
    const { resolve } = await open({ 'bot.example': ['93.184.215.14', '2606:4700::1111', '1.1.1.1'] });
    assert.deepEqual(await resolve('bot.example'), [
      { address: '93.184.215.14', family: 4 },
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    assert.equal((await resolve('BOT.example.')).length, 3);
  });

  test('returns the addresses of a name with only one kind', async () => {
    const { resolve } = await open({ 'four.example': ['1.1.1.1'], 'six.example': ['2606:4700::1111'] });
    assert.deepEqual(await resolve('four.example'), [{ address: '1.1.1.1', family: 4 }]);
    assert.deepEqual(await resolve('six.example'), [{ address: '2606:4700::1111', family: 6 }]);
  });

  test('fails for a name that does not exist or has no address', async () => {
    const { resolve, server } = await open({ 'empty.example': [] });
    server.giveUp();
    await assert.rejects(resolve('none.example'), { code: 'ENOTFOUND' });
    await assert.rejects(resolve('empty.example'), { code: 'ENOTFOUND' });
  });

  test('ends at the time limit if a name server never responds', async () => {
    const { resolve, server } = await open({}, { timeoutMs: 50 });
    await assert.rejects(resolve('slow.example'), { code: 'ETIMEOUT' });
    assert.equal(server.asked(), 2);
  });

  test('ends when it is aborted, and sends no query if it was already aborted', async () => {
    const { resolve, server } = await open();
    const abort = new AbortController();
    const resolving = resolve('slow.example', abort.signal);
    await server.untilAsked(2);
    abort.abort();
    await assert.rejects(resolving, { code: 'ETIMEOUT' });
    await assert.rejects(resolve('slow.example', abort.signal), { name: 'AbortError' });
    assert.equal(server.asked(), 2);
  });

  test('distinguishes a name server that is down from a receiver that is', async () => {
    const { resolve } = await open({}, { servers: ['127.0.0.1:1'] });
    await assert.rejects(resolve('bot.example'), { code: 'EAI_AGAIN' });
  });

  test('resolves localhost without a query', async () => {
    const { resolve, server } = await open();
    for (const name of ['localhost', 'LOCALHOST.'])
      assert.deepEqual(await resolve(name), [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]);
    assert.equal(server.asked(), 0);
  });

  test('prefers the hosts file to name servers, and reads it again when it changes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'votary-hosts-'));
    after(() => rm(folder, { recursive: true }));
    const hostsFile = join(folder, 'hosts');
    const { resolve, server } = await open({}, { hostsFile });
    await writeFile(
      hostsFile,
      '# comment\n10.0.0.7\tBot.Example other.example # 10.0.0.8\n::7 bot.example\nx y\n',
    );
    assert.deepEqual(await resolve('bot.example'), [
      { address: '10.0.0.7', family: 4 },
      { address: '::7', family: 6 },
    ]);
    await writeFile(hostsFile, '10.0.0.9 bot.example\n');
    await utimes(hostsFile, 1, 1);
    assert.deepEqual(await resolve('bot.example'), [{ address: '10.0.0.9', family: 4 }]);
    assert.equal(server.asked(), 0);
  });
});
