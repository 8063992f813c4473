import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import fastify from 'fastify';
import type { ClaimableVote } from '../../../../src/domain/votes/vote.ts';
import { exportClaimable } from '../../../../src/site/dashboard/votes/paging.ts';
import { csvCell, voteCsv } from '../../../../src/site/dashboard/votes/routes.ts';
import { anyText } from '../../../support/any-text.ts';

const VOTE: ClaimableVote = {
  guildId: '300000000000000001',
  userId: '200000000000000001',
  castAt: Date.parse('2026-11-15T12:00:00.123Z'),
  externalId: null,
  isDoubled: false,
  claimedAt: null,
};

async function csvOf(...votes: ClaimableVote[]): Promise<string> {
  async function* given() {
    yield* votes;
  }
  return (await Array.fromAsync(voteCsv(given()))).join('');
}

/** Parses one line as described in RFC 4180. */
function readCells(line: string): string[] {
  const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)];
  return cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

describe('the CSV of votes', () => {
  it('starts with the byte order mark that Excel needs for UTF-8, and a header row', async () => {
    assert.equal(await csvOf(), '\uFEFFtimestamp,user_id,is_doubled,external_id,claimed_at\r\n');
  });

  it('writes one line per vote, with line ends as in RFC 4180', async () => {
    const text = await csvOf(VOTE, {
      ...VOTE,
      externalId: 'Zoé',
      isDoubled: true,
      claimedAt: VOTE.castAt + 1,
    });
    assert.deepEqual(text.split('\r\n').slice(1), [
      '2026-11-15T12:00:00.123Z,200000000000000001,false,,',
      '2026-11-15T12:00:00.123Z,200000000000000001,true,Zoé,2026-11-15T12:00:00.124Z',
      '',
    ]);
  });

  it('contains every vote of a list that is longer than one chunk of the stream', async () => {
    const votes = Array.from({ length: 1203 }, (_, index) => ({ ...VOTE, externalId: `player ${index}` }));
    const lines = (await csvOf(...votes)).trimEnd().split('\r\n').slice(1);
    assert.equal(lines.length, 1203);
    assert.equal(lines.at(-1)?.split(',').at(-2), 'player 1202');
  });

  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
    it(`never starts a cell with ${JSON.stringify(start)}, which a spreadsheet would evaluate`, () => {
      const cell = csvCell(`${start}cmd|' /C calc'!A0`);
      assert.match(cell, /^"?'/);
    });
  }

  it('escapes formulas after separators too, because French Excel splits at semicolons', () => {
    const cases: [text: string, cell: string][] = [
      ["x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"],
      ['x;@SUM(1)', "x;'@SUM(1)"],
      ['a;b;-1;+2', "a;b;'-1;'+2"],
      ['x,=1+1', `"x,'=1+1"`],
      ['x\t=1', "x\t'=1"],
      ['x\r=1', `"x\r'=1"`],
      ['x\n=1', `"x\n'=1"`],
      ['x\r\n=1', `"x\r\n'=1"`],
      ['x\t\t=1', "x\t'\t'=1"],
      ['x;＝1', "x;'＝1"],
      ['x; =1', "x;' =1"],
    ];
    for (const [text, cell] of cases) assert.equal(csvCell(text), cell, JSON.stringify(text));
  });

  it('never starts a cell with a formula, whichever separator a spreadsheet uses', () => {
    const parts = fc.constantFrom(
      '=1',
      '-1',
      '+1',
      '@A',
      ';',
      ',',
      '\t',
      '\r',
      '\n',
      '"',
      '""',
      ' ',
      'a',
      "'",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (texts) => {
        const line = `2026-11-15,1,false,${csvCell(texts.join(''))}`;
        for (const separator of [';', ',', '\t']) {
          // A quote at the start of a field is removed by the parser, whatever follows it.
          const starts = line.split(/[\r\n]/).flatMap((row) => row.split(separator));
          for (const start of starts) assert.doesNotMatch(start, /^["\s]*[=+\-@]/, JSON.stringify(line));
        }
      }),
    );
  });

  it('does not change ordinary names', () => {
    for (const text of ['Zoé', 'a-b', 'a=b', 'user@example.org', 'a;b', 'a, b', '1+1', 'a\tb', 'a\r\nb']) {
      assert.equal(readCells(csvCell(text))[0], text);
    }
  });

  it('can be parsed back except for added apostrophes, including quotes, commas and line breaks', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const [cell = ''] = readCells(csvCell(text));
        assert.equal(cell.replaceAll("'", ''), text.replaceAll("'", ''));
      }),
    );
  });
});

it('a CSV is read from the database no faster than its client reads it', async (t) => {
  let pages = 0;
  const page = async () => {
    pages += 1;
    return Array.from({ length: 1000 }, () => VOTE);
  };
  const claimTimes = async (_guildId: string, votes: readonly unknown[]) =>
    votes.map(() => ({ claimedAt: null, claims: {} }));
  const store = { votes: { page, ofName: page }, claims: { claimTimes } };
  const app = fastify();
  const period = { from: 0, to: 1 };
  app.get('/', (_request, reply) =>
    reply.send(Readable.from(voteCsv(exportClaimable(store, VOTE.guildId, period, null)))),
  );
  // The system buffers megabytes of a TCP connection, but little of a Unix socket.
  const path = join(tmpdir(), `votary-csv-${process.pid}.sock`);
  await app.listen({ path });
  const client = connect(path).pause();
  t.after(() => {
    client.destroy();
    return app.close();
  });
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  // The votes never end, so it only stops if it waits for the client.
  for (
    let quietTurns = 0, before = -1;
    quietTurns < 500;
    quietTurns = pages === before ? quietTurns + 1 : 0
  ) {
    before = pages;
    await nextTurn();
  }
  assert.ok(pages > 0);
});
