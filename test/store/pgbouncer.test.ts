import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '../../src/store/open.ts';
import { freePort } from '../support/free-port.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { requirement } from '../support/requirement.ts';
import { addGuild, NOW, voteOf } from './fixtures.ts';

/** A PgBouncer in transaction mode in front of the database; gives the address of the database behind it. */
async function startPgBouncer(t: TestContext, url: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-pgbouncer-'));
  await chmod(folder, 0o755);
  const { hostname, port: serverPort, username, password, pathname } = new URL(url);
  const port = await freePort();
  const server = `host=${hostname} port=${serverPort} user=${username} password='${decodeURIComponent(password)}'`;
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]\n${pathname.slice(1)} = ${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\n` +
      'auth_type = any\npool_mode = transaction\ndefault_pool_size = 3\nignore_startup_parameters = extra_float_digits\n',
  );
  // It refuses to run as root.
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const owner = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  const bouncer = spawn('pgbouncer', ['-q', file], { ...owner, stdio: 'ignore' });
  t.after(async () => {
    const exit = once(bouncer, 'exit');
    if (bouncer.kill('SIGKILL')) await exit;
    await rm(folder, { recursive: true });
  });
  while (!(await accepts(port))) {
    if (bouncer.exitCode !== null) throw new Error(`PgBouncer ended with ${bouncer.exitCode}`);
    await pause(20);
  }
  return `postgres://${username}@127.0.0.1:${port}${pathname}`;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

test('two processes work through PgBouncer in transaction mode', {
  skip: requirement('pgbouncer'),
}, async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const pooled = await startPgBouncer(t, url);
  const stores = [
    await openStore({ kind: 'postgres', url: pooled }),
    await openStore({ kind: 'postgres', url: pooled }),
  ];
  t.after(() => Promise.all(stores.map((store) => store.close())));
  const [first] = stores;
  assert.ok(first);
  const guildId = await addGuild(first);
  const limit = { requests: 1000, windowMs: 60_000 };
  for (let round = 0; round < 10; round += 1) {
    const calls = stores.flatMap((store, index) => [
      store.rates.hit('pooled', limit, NOW),
      store.guilds.findByKeyHash('none'),
      store.votes.cast(voteOf(guildId, { userId: `20000000000000${round}${index}00`, castAt: NOW + round })),
      store.admit({
        keyHash: 'none',
        rateKey: 'key:none',
        fallbackRateKey: 'ip:pooled',
        limit,
        now: NOW,
        voteQuery: null,
      }),
      store.ping(),
    ]);
    await Promise.all(calls);
  }
  assert.equal((await first.rates.hit('pooled', limit, NOW)).hits, 21);
});
