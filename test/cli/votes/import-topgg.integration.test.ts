import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  assertBadUsage,
  assertDone,
  assertFailed,
  GUILD,
  makeHomeWithGuild,
  OTHER_GUILD,
} from '../votary.ts';

const USERS = ['200000000000000001', '200000000000000002', '200000000000000003'] as const;

/** As top.gg returns it. */
function entry(user: string, weight = 1) {
  return {
    user_id: '8226924471638491136',
    platform_id: user,
    weight,
    created_at: '2026-01-28T02:19:19.145733Z',
    expires_at: '2026-01-28T14:19:19.145733Z',
  };
}

const PAGES = [
  { cursor: 'a]}"', data: [entry(USERS[0]), entry(USERS[1], 2)] },
  { cursor: '', data: [entry(USERS[2])] },
];
const [FIRST, SECOND] = PAGES;

const FILES = {
  'a list of pages': JSON.stringify(PAGES),
  'pages on lines': `\ufeff${JSON.stringify(FIRST)}\r\n\r\n${JSON.stringify(SECOND)}\r\n`,
  'pages one after the other': JSON.stringify(FIRST) + JSON.stringify(SECOND),
  'indented pages': `${JSON.stringify(FIRST, null, 2)}\n${JSON.stringify(SECOND, null, 2)}\n`,
  'one page': JSON.stringify({ cursor: null, data: PAGES.flatMap(({ data }) => data) }),
  'a list of lists of votes': JSON.stringify(PAGES.map(({ data }) => data)),
  'a list of votes': JSON.stringify(PAGES.flatMap(({ data }) => data)),
  'votes on lines': PAGES.flatMap(({ data }) => data)
    .map((vote) => `${JSON.stringify(vote)}\n`)
    .join(''),
};

describe('votary votes import --format topgg', { concurrency: 4 }, () => {
  it('reads every way to save the pages of the list', async () => {
    const home = await makeHomeWithGuild();
    const expected = [0, 1, 2].map((index) => ({
      guild_id: GUILD,
      user_id: USERS[index],
      timestamp: '2026-01-28T02:19:19.145Z',
      is_doubled: index === 1,
    }));
    let isFirst = true;
    for (const [name, content] of Object.entries(FILES)) {
      const file = await home.file('votes.json', content);
      const imported = await home.json('votes', 'import', file, '--format', 'topgg', '--guild', GUILD);
      assert.deepEqual(imported, isFirst ? { imported: 3, skipped: 0 } : { imported: 0, skipped: 3 }, name);
      isFirst = false;
    }
    assert.deepEqual(await home.json('votes', 'export', GUILD), expected);
  });

  it('needs no guild while there is only one, and marks votes as claimed', async () => {
    const home = await makeHomeWithGuild();
    const { stdout } = await home.pipe(
      JSON.stringify(FIRST),
      'votes',
      'import',
      '-',
      '--format',
      'topgg',
      '--claimed',
    );
    assert.equal(stdout, '2 votes imported, 0 already existed.\n');
    assert.match((await home.votary('votes', 'export', GUILD)).stdout, /"claimed_at":"/);
    assertDone(await home.votary('guild', 'add', OTHER_GUILD));
    const file = await home.file('votes.json', JSON.stringify(FIRST));
    assertFailed(await home.votary('votes', 'import', file, '--format', 'topgg'), /--guild <guild_id>/);
    const unknown = await home.votary(
      'votes',
      'import',
      file,
      '--format',
      'topgg',
      '--guild',
      '100000000000000999',
    );
    assertFailed(unknown, /is not listed/);
    assertBadUsage(
      await home.votary('votes', 'import', file, '--guild', GUILD),
      /--guild is for --format topgg/,
    );
    assertBadUsage(await home.votary('votes', 'import', file, '--format', 'csv'), /votary, topgg/);
  });

  it('names the line of what is not a vote, and imports nothing', async () => {
    const home = await makeHomeWithGuild();
    const good = JSON.stringify(entry(USERS[0]));
    for (const [content, problem] of [
      [`${good}\n\nnot JSON\n`, /line 3: not valid JSON; nothing was imported/],
      [`${good}\n{"data":[${good}`, /line 2: not valid JSON/],
      [`${good}\n]`, /line 2: not valid JSON/],
      [`${good}\n"text"`, /line 2: a vote needs "platform_id"/],
      [JSON.stringify({ data: [entry(USERS[0]), entry('Steve')] }), /line 1: a vote needs "platform_id"/],
      [JSON.stringify({ ...entry(USERS[0]), created_at: 'yesterday' }), /"created_at", an ISO 8601/],
      [JSON.stringify({ ...entry(USERS[0]), weight: '2' }), /"weight" must be a number/],
      ['null', /a vote needs/],
      [`${good}\n${'['.repeat(20_000)}${']'.repeat(20_000)}`, /line 2: a vote needs/],
      [Buffer.from([0x5b, 0xff, 0x5d]), /not valid UTF-8/],
    ] as const) {
      const file = await home.file('bad.json', content);
      assertFailed(await home.votary('votes', 'import', file, '--format', 'topgg'), problem);
    }
    assert.equal((await home.votary('votes', 'export', GUILD)).stdout, '');
    const empty = await home.file('empty.json', '\n');
    assert.deepEqual(await home.json('votes', 'import', empty, '--format', 'topgg'), {
      imported: 0,
      skipped: 0,
    });
  });
});
