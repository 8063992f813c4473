import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  assertBadUsage,
  assertFailed,
  finish,
  GUILD,
  type Home,
  makeHome,
  makeHomeWithGuild,
  OTHER_GUILD,
  type VoteFields,
  voteLine,
} from '../votary.ts';

const exportOf = async (home: Home) => (await home.votary('votes', 'export', GUILD)).stdout;

/** This many different votes, one per line. */
function manyLines(count: number): string {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const line = (_: unknown, i: number) => voteLine({ timestamp: new Date(start + i * 1000).toISOString() });
  return `${Array.from({ length: count }, line).join('\n')}\n`;
}

describe('votary votes import', { concurrency: 4 }, () => {
  it('imports a file, and skips all of it the second time', async () => {
    const home = await makeHomeWithGuild();
    const file = await home.file('votes.ndjson', manyLines(12_000));
    assert.deepEqual(await home.json('votes', 'import', file), { imported: 12_000, skipped: 0 });
    assert.deepEqual(await home.json('votes', 'import', file), { imported: 0, skipped: 12_000 });
    assert.equal(await exportOf(home), manyLines(12_000));
  });

  it('reads standard input, and skips repeated votes', async () => {
    const home = await makeHomeWithGuild();
    const { stdout } = await home.pipe(`${voteLine()}\n${voteLine()}\n`, 'votes', 'import', '-');
    assert.equal(stdout, '1 vote imported, 1 already existed.\n');
  });

  it('reads Windows files: byte order mark, CRLF, blank lines, no line break at the end', async () => {
    const home = await makeHomeWithGuild();
    const second = voteLine({ timestamp: '2026-02-01T18:00:00.000Z', external_id: 'Zoé' });
    const file = await home.file('windows.ndjson', `\ufeff${voteLine()}\r\n\r\n  \r\n${second}`);
    assert.deepEqual(await home.json('votes', 'import', file), { imported: 2, skipped: 0 });
    assert.equal(await exportOf(home), `${voteLine()}\n${second}\n`);
  });

  it('imports claims, and adds them to votes that existed without one', async () => {
    const home = await makeHomeWithGuild();
    const claimed = voteLine({ claimed_at: '2026-01-31T19:00:00.000Z' });
    await home.pipe(voteLine(), 'votes', 'import', '-');
    const file = await home.file('claimed.ndjson', `${claimed}\n`);
    assert.deepEqual(await home.json('votes', 'import', file), { imported: 0, skipped: 1 });
    assert.equal(await exportOf(home), `${claimed}\n`);
    // A file from before the claim does not remove it.
    await home.pipe(voteLine(), 'votes', 'import', '-');
    assert.equal(await exportOf(home), `${claimed}\n`);
  });

  it('marks all votes as claimed with --claimed, and keeps the times that lines contain', async () => {
    const home = await makeHomeWithGuild();
    const claimed = voteLine({ claimed_at: '2026-01-31T19:00:00.000Z' });
    const other = voteLine({ timestamp: '2026-02-01T18:00:00.000Z' });
    const file = await home.file('rewarded.ndjson', `${claimed}\n${other}\n`);
    assert.deepEqual(await home.json('votes', 'import', file, '--claimed'), { imported: 2, skipped: 0 });
    const votes = (await exportOf(home)).trim().split('\n');
    assert.equal(votes[0], claimed);
    assert.match(votes[1] ?? '', /"claimed_at":"\d{4}-/);
  });

  it('imports nothing from an empty file', async () => {
    const home = await makeHome();
    assert.deepEqual(await home.json('votes', 'import', await home.file('empty', '')), {
      imported: 0,
      skipped: 0,
    });
  });

  const badLines: [string, string | VoteFields, RegExp][] = [
    [
      'a claim that is no date',
      { claimed_at: 'yes' },
      /line 3: "claimed_at" must be .*; nothing was imported/,
    ],
    [
      'a user id that is a number',
      { user_id: 200000000000001 },
      /line 3: "user_id" must be .*; nothing was imported/,
    ],
    ['an invalid date', { timestamp: '2026-02-30' }, /line 3: "timestamp" must be/],
    ['text that is not JSON', 'oops', /line 3: not valid JSON/],
    ['an array', '[]', /line 3: not a JSON object/],
    [
      'a guild that is not listed',
      { guild_id: OTHER_GUILD },
      /line 3: guild 123456789012345679 is not listed .*votary guild add/,
    ],
    ['a line without end', 'x'.repeat(70_000), /line 3: longer than 65536 bytes/],
  ];
  for (const [what, line, expected] of badLines) {
    it(`reports the line number of ${what}, and imports nothing`, async () => {
      const home = await makeHomeWithGuild();
      const text = typeof line === 'string' ? line : voteLine(line);
      assertFailed(await home.pipe(`${voteLine()}\n\n${text}\n`, 'votes', 'import', '-'), expected);
      assert.equal(await exportOf(home), '');
    });
  }

  it('reports the first of a guild that is not listed and another invalid line', async () => {
    const home = await makeHomeWithGuild();
    const lines = (...all: string[]) => home.pipe(`${all.join('\n')}\n`, 'votes', 'import', '-');
    const unlisted = voteLine({ guild_id: OTHER_GUILD });
    assertFailed(
      await lines(voteLine(), unlisted, unlisted, 'oops'),
      /line 2: guild 123456789012345679 is not/,
    );
    assertFailed(await lines(voteLine(), 'oops', unlisted), /line 2: not valid JSON/);
  });

  it('writes nothing of the batches before an invalid line', async () => {
    const home = await makeHomeWithGuild();
    const file = await home.file('late.ndjson', `${manyLines(11_000)}{}\n`);
    assertFailed(await home.votary('votes', 'import', file), /line 11001: "guild_id"/);
    assert.equal(await exportOf(home), '');
  });

  it('rejects bytes that are not UTF-8 instead of changing a name', async () => {
    const home = await makeHomeWithGuild();
    const latin1 = Buffer.from(voteLine({ external_id: 'Zoé' }), 'latin1');
    assertFailed(
      await home.votary('votes', 'import', await home.file('latin1', latin1)),
      /line 1: not valid UTF-8/,
    );
  });

  it('does not wait for the rest of standard input after an invalid line', async () => {
    const home = await makeHomeWithGuild();
    const child = home.start('votes', 'import', '-');
    child.stdin?.write('oops\n');
    const closed = new Promise((resolve) => child.on('exit', resolve));
    assert.equal(await closed, 1);
    await finish(child).catch(() => {});
  });

  it('says why a file cannot be read', async () => {
    const home = await makeHome();
    assertFailed(
      await home.votary('votes', 'import', '/no/such/file'),
      /cannot read \/no\/such\/file: no such file/,
    );
    assertFailed(await home.votary('votes', 'import', '/'), /cannot read \/: it is a directory/);
    assertBadUsage(await home.votary('votes', 'import'), /missing required argument 'file'/);
  });
});
