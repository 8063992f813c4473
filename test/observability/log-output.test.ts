import assert from 'node:assert/strict';
import { openSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { fileSink, LogOutput, type LogSink } from '../../src/observability/log-output.ts';

/** A sink whose writes complete when the test says so. */
function heldSink() {
  const written: string[] = [];
  let end: (error?: Error) => void = () => {};
  const sink: LogSink = {
    write: (lines, done) => {
      written.push(lines.toString());
      end = done;
    },
    writeNow: (lines) => void written.push(lines.toString()),
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
  output.write('6\n7\n8\n', 3);
  assert.equal(output.dropped, 5);
  end();
  t.mock.timers.tick(10);
  assert.deepEqual(written, ['1\n', '2\n3\n']);
  assert.deepEqual(reports, [5]);
  end();
  assert.deepEqual(reports, [5]);
});

test('the lines of a failed write are dropped and counted, and the next ones are written', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sink, written, end } = heldSink();
  const output = new LogOutput(sink);
  output.write('1\n2\n', 2);
  await nextTick();
  output.write('3\n');
  end(new Error('no space left on device'));
  t.mock.timers.tick(10);
  assert.equal(output.dropped, 2);
  assert.deepEqual(written, ['1\n2\n', '3\n']);
});

for (const count of [1, 300, 5000])
  test(`${count} lines that arrive during a write are written after it and do not change it`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const written: Buffer[] = [];
    let end = () => {};
    const sink: LogSink = {
      write: (lines, done) => {
        written.push(lines);
        end = done;
      },
      writeNow: () => {},
    };
    const output = new LogOutput(sink);
    const linesOf = (name: string) => Array.from({ length: count }, (_, i) => `${name} ${i} é 漢 😀 text\n`);
    for (const name of ['first', 'second', 'third']) {
      const during = linesOf(`during ${name}`);
      output.write(`${name}\n`);
      await nextTick();
      for (const line of during) output.write(line);
      assert.equal(String(written.pop()), `${name}\n`);
      end();
      t.mock.timers.tick(10);
      output.write('later\n');
      assert.equal(String(written.pop()), during.join(''));
      end();
      t.mock.timers.tick(10);
      assert.equal(String(written.pop()), 'later\n');
      end();
      t.mock.timers.tick(10);
    }
  });

test('pending lines are written when the process exits', async () => {
  const { sink, written } = heldSink();
  const output = new LogOutput(sink);
  output.write('last\n');
  output.flushAtExit();
  assert.deepEqual(written, ['last\n']);
});

test('lines that are logged while the process exits do not change those of a write that has not ended', async () => {
  const written: Buffer[] = [];
  const output = new LogOutput({
    write: (lines) => void written.push(lines),
    writeNow: (lines) => void written.push(lines),
  });
  const late = `${'late'.repeat(2000)}\n`;
  output.write('earlier\n');
  await nextTick();
  for (const line of ['fatal\n', late, late]) {
    output.write(line);
    output.flushAtExit();
  }
  output.write(late);
  assert.deepEqual(written.map(String), ['earlier\n', 'fatal\n', late, late]);
});

test('a full disk is reported with its file', async () => {
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>();
  const sink = fileSink(openSync('/dev/full', 'w'));
  sink.write(Buffer.from('line\n'), resolve);
  assert.match(String(await promise), /ENOSPC/);
  sink.writeNow(Buffer.from('line\n'));
});
