import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { assertDone, assertFailed, finish, GUILD, makeHome } from '../votary.ts';
import { ANY_PORT, field, stopWith, untilPrinted } from './started.ts';

describe('votary serve', { concurrency: 2, timeout: 60_000 }, () => {
  it('--demo keeps the same guild and key when it is started again', async () => {
    const home = await makeHome(ANY_PORT);
    const documents: unknown[] = [];
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const child = home.start('serve', '--demo', '--json');
      documents.push(JSON.parse(await untilPrinted(child, /\n/)));
      assert.equal(await stopWith(child, signal), 0);
    }
    const [first, second] = documents.map((document) => field(document, 'demo'));
    assert.equal(field(first, 'guild_id'), '100000000000000001');
    assert.deepEqual(first, second);
  });

  it('--demo adds nothing to a database that has guilds', async () => {
    const home = await makeHome(ANY_PORT);
    assertDone(await home.votary('guild', 'add', GUILD));
    const child = home.start('serve', '--demo');
    const banner = await untilPrinted(child, /Stop with Ctrl\+C/);
    assert.match(banner, /already has guilds, so no demo guild was added/);
    assert.equal(await stopWith(child, 'SIGINT'), 0);
    assert.match((await home.votary('guild', 'list')).stdout, new RegExp(`^GUILD .*\n${GUILD} [^\n]*\n$`));
  });

  it('logs in one line which variables sign-in needs, and nothing once they are set', async () => {
    const lines: number[] = [];
    for (const discord of [{}, { VOTARY_DISCORD_CLIENT_ID: '1', VOTARY_DISCORD_CLIENT_SECRET: 'x' }]) {
      const home = await makeHome({ ...ANY_PORT, ...discord });
      const child = home.start('serve');
      const log: Buffer[] = [];
      child.stdout?.on('data', (chunk: Buffer) => log.push(chunk));
      await untilPrinted(child, /listening/);
      assert.equal(await stopWith(child, 'SIGTERM'), 0);
      const missing = /set VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET/g;
      lines.push(Buffer.concat(log).toString().match(missing)?.length ?? 0);
    }
    assert.deepEqual(lines, [1, 0]);
  });

  it('treats one press of Ctrl+C that arrives twice as one', async () => {
    const home = await makeHome(ANY_PORT);
    const child = home.start('serve');
    await untilPrinted(child, /listening/);
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  it('reports a data folder that cannot be created, where the recursive mkdir of Node never returns', async () => {
    const home = await makeHome({ ...ANY_PORT, VOTARY_DATA_DIR: '/proc/nope' });
    assertFailed(await finish(home.start('serve')), /VOTARY_DATA_DIR must be a writable folder/);
    assertFailed(await finish(home.start('guild', 'list')), /\/proc\/nope\/votary\.db cannot be opened/);
  });

  it('reports in one line that its port is in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const address = holder.address();
    assert.ok(address && typeof address === 'object');
    const home = await makeHome({ VOTARY_PORT: String(address.port) });
    assertFailed(await finish(home.start('serve', '--json')), new RegExp(`${address.port} is in use`));
    holder.close();
  });
});
