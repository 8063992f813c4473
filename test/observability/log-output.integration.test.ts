import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { describe, it, test } from 'node:test';
import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises';
import { fileSink, LogOutput, type LogSink } from '../../src/observability/log-output.ts';
import { GUILD, LAUNCHER, makeHome } from '../cli/votary.ts';
import { freePort } from '../support/free-port.ts';

const RETRY_MS = 50;

/** A sink whose writes complete when the test says so. */
function heldSink() {
  const written: string[] = [];
  let end: (error?: Error) => void = () => {};
  const sink: LogSink = {
    write: (text, done) => {
      written.push(text);
      end = done;
    },
    writeNow: (text) => void written.push(text),
  };
  return { sink, written, end: (error?: Error) => end(error) };
}

test('the lines of one tick are written together, and those of a pending write soon after it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sink, written, end } = heldSink();
  const output = new LogOutput(sink);
  for (const line of ['a\n', 'b\n']) output.write(line);
  assert.deepEqual(written, []);
  await nextTick();
  output.write('c\n');
  await nextTick();
  assert.deepEqual(written, ['a\nb\n']);
  end();
  output.write('d\n');
  await nextTick();
  assert.deepEqual(written, ['a\nb\n']);
  t.mock.timers.tick(10);
  assert.deepEqual(written, ['a\nb\n', 'c\nd\n']);
});

test('a line after a pause is written in the same tick', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sink, written, end } = heldSink();
  const output = new LogOutput(sink);
  output.write('a\n');
  await nextTick();
  end();
  t.mock.timers.tick(10);
  output.write('b\n');
  await nextTick();
  assert.deepEqual(written, ['a\n', 'b\n']);
});

test('lines beyond the buffer of a stuck output are dropped and counted, and reported when it works again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sink, written, end } = heldSink();
  const output = new LogOutput(sink, { maxPendingBytes: 4 });
  const reports: number[] = [];
  output.onRecovery((dropped) => reports.push(dropped));
  output.write('1\n');
  await nextTick();
  for (const line of ['2\n', '3\n', '4\n', '5\n']) output.write(line);
  assert.equal(output.dropped, 2);
  end();
  t.mock.timers.tick(10);
  assert.deepEqual(written, ['1\n', '2\n3\n']);
  assert.deepEqual(reports, [2]);
  end();
  assert.deepEqual(reports, [2]);
});

test('the lines of a failed write are dropped and counted, and the next ones are written', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sink, written, end } = heldSink();
  const output = new LogOutput(sink);
  for (const line of ['1\n', '2\n']) output.write(line);
  await nextTick();
  output.write('3\n');
  end(new Error('no space left on device'));
  t.mock.timers.tick(10);
  assert.equal(output.dropped, 2);
  assert.deepEqual(written, ['1\n2\n', '3\n']);
});

test('pending lines are written when the process exits', async () => {
  const { sink, written } = heldSink();
  const output = new LogOutput(sink);
  output.write('last\n');
  output.flushAtExit();
  assert.deepEqual(written, ['last\n']);
});

test('a full disk is reported with its file', async () => {
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>();
  const sink = fileSink(openSync('/dev/full', 'w'));
  sink.write('line\n', resolve);
  assert.match(String(await promise), /ENOSPC/);
  sink.writeNow('line\n');
});

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
