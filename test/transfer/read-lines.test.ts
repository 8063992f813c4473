import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_LINE_BYTES, readLines } from '../../src/read-lines.ts';

async function linesOf(...chunks: Uint8Array[]): Promise<string[]> {
  async function* stream() {
    yield* chunks;
  }
  return (await Array.fromAsync(readLines(stream()))).flat();
}

/** The bytes split at the given positions, even inside characters. */
function cut(bytes: Buffer, places: number[]): Uint8Array[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
}

describe('lines of a stream', () => {
  it('are the same however the stream is split', async () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\ufeff]/g, ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (lines, places) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        assert.deepEqual(await linesOf(...cut(bytes, places)), lines);
      }),
    );
  });

  it('lose a byte order mark and carriage returns, and need no line break at the end', async () => {
    assert.deepEqual(await linesOf(Buffer.from('\ufeffa\r\n\r\nb\uFFFD')), ['a', '', 'b\uFFFD']);
  });

  it('are rejected, with their number, if they are not UTF-8', async () => {
    await assert.rejects(
      linesOf(Buffer.from('ok\n'), Buffer.from([0x61, 0xe9, 0x0a])),
      /^BadLine: line 2: not valid UTF-8$/,
    );
  });

  it('are rejected with the number of the first invalid one', async () => {
    const long = 'x'.repeat(MAX_LINE_BYTES + 1);
    const wide = 'é'.repeat(MAX_LINE_BYTES / 2);
    assert.deepEqual(await linesOf(Buffer.from(`a\n${wide}\nb\n`)), ['a', wide, 'b']);
    await assert.rejects(linesOf(Buffer.from(`a\n${wide}é\nb\n`)), /line 2: longer than 65536 bytes/);
    const notText = Buffer.from([0x0a, 0xe9, 0x0a]);
    await assert.rejects(linesOf(Buffer.concat([Buffer.from(long), notText])), /line 1: longer than/);
    await assert.rejects(
      linesOf(Buffer.concat([Buffer.from('\ufeffa\n\ufffd'), notText, Buffer.from(long)])),
      /line 3: not valid UTF-8/,
    );
    await assert.rejects(
      linesOf(Buffer.concat([Buffer.from('a\n'), Buffer.from([0xe9]), Buffer.from(long)])),
      /line 2: longer than/,
    );
  });

  it('are rejected if they are too long, before they end', async () => {
    const longest = Buffer.alloc(MAX_LINE_BYTES, 'x');
    assert.equal((await linesOf(longest)).length, 1);
    await assert.rejects(linesOf(longest, Buffer.from('x')), /line 1: longer than 65536 bytes/);
  });
});
