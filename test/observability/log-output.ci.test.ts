import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { GUILD, LAUNCHER, makeHome } from '../cli/votary.ts';
import { freePort } from '../support/free-port.ts';

const RETRY_MS = 50;

/** The status of a request to the service, once it is up. */
async function statusOf(url: string, signal: AbortSignal, agent: Agent | false = false): Promise<number> {
  for (;;) {
    const call = request(url, { rejectUnauthorized: false, agent }).end();
    const [response] = await once(call, 'response').catch(() => []);
    if (response) {
      await once(response.resume(), 'end');
      return response.statusCode;
    }
    // Without a pause, these attempts would slow down the start of the service.
    await pause(RETRY_MS, undefined, { signal });
  }
}

describe('votary serve', { timeout: 60_000 }, () => {
  for (const [name, redirection] of [
    ['on a full disk', 'exec "$@" > /dev/full'],
    ['with a closed output', 'exec "$@" >&-'],
  ] as const) {
    it(`${name} responds and stops`, async ({ signal }) => {
      const home = await makeHome();
      const port = await freePort();
      const env = { VOTARY_DATA_DIR: home.dataDir, VOTARY_PORT: String(port), VOTARY_LOG_LEVEL: 'info' };
      const child = spawn('sh', ['-c', redirection, 'sh', process.execPath, LAUNCHER, 'serve', '--json'], {
        env,
        stdio: 'ignore',
      });
      assert.equal(await statusOf(`https://127.0.0.1:${port}/healthz`, signal), 200);
      assert.equal(await statusOf(`https://127.0.0.1:${port}/guild/${GUILD}/vote`, signal), 404);
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual(await exit, [0, null]);
    });
  }

  it('stops even if its log is not read', async ({ signal }) => {
    const port = await freePort();
    const home = await makeHome({ VOTARY_PORT: String(port), VOTARY_LOG_LEVEL: 'info' });
    const child = home.start('serve');
    const filler = 'x'.repeat(2000);
    // More than the pipe and the reader's buffer can hold.
    const agent = new Agent({ keepAlive: true });
    for (let i = 0; i < 300; i += 1)
      await statusOf(`https://127.0.0.1:${port}/healthz?${filler}`, signal, agent);
    agent.destroy();
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });
});
