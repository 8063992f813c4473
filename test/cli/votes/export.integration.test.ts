import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { assertBadUsage, assertFailed, GUILD, makeHome, makeHomeWithGuild, voteLine } from '../votary.ts';

const LINES = [
  voteLine({ timestamp: '0000-01-01T00:00:00.000Z' }),
  voteLine({ timestamp: '2026-01-01T00:00:00.000Z', external_id: 'Steve_42' }),
  voteLine({ timestamp: '2026-01-01T00:00:00.000Z', user_id: '200000000000000002', is_doubled: true }),
  voteLine({ timestamp: '2026-01-31T23:59:59.999Z', external_id: '"\\ Zoé 🎮\u2028' }),
  voteLine({ timestamp: '2026-02-01T00:00:00.000Z', claimed_at: '2026-02-01T08:00:00.000Z' }),
  voteLine({ timestamp: '9999-12-31T23:59:59.999Z' }),
];
const ALL = `${LINES.join('\n')}\n`;

async function homeWithVotes() {
  const home = await makeHomeWithGuild();
  await home.pipe(LINES.toReversed().join('\n'), 'votes', 'import', '-');
  return home;
}

describe('votary votes export', { concurrency: 4 }, () => {
  it('writes every vote, oldest first, in lines that import as exactly the same votes', async () => {
    const { stdout } = await (await homeWithVotes()).votary('votes', 'export', GUILD);
    assert.equal(stdout, ALL);
    const second = await makeHomeWithGuild();
    await second.pipe(stdout, 'votes', 'import', '-');
    assert.equal((await second.votary('votes', 'export', GUILD)).stdout, ALL);
  });

  it('writes the votes of a period that includes its start and excludes its end', async () => {
    const home = await homeWithVotes();
    const { stdout } = await home.votary(
      'votes',
      'export',
      GUILD,
      '--from',
      '2026-01-01',
      '--to',
      '2026-02-01',
    );
    assert.equal(stdout, `${LINES.slice(1, 4).join('\n')}\n`);
    const open = await home.votary('votes', 'export', GUILD, '--from', '2026-02-01');
    assert.equal(open.stdout, `${LINES.slice(4).join('\n')}\n`);
  });

  it('writes one array with --json, even if there are no votes', async () => {
    const home = await homeWithVotes();
    assert.deepEqual(
      await home.json('votes', 'export', GUILD),
      LINES.map((line) => JSON.parse(line)),
    );
    assert.deepEqual(
      await home.json('votes', 'export', GUILD, '--from', '2026-03-01', '--to', '2026-04-01'),
      [],
    );
  });

  it('exits quietly when its output is closed early', async () => {
    const home = await makeHomeWithGuild();
    const lines = Array.from({ length: 5000 }, (_, i) =>
      voteLine({ timestamp: new Date(i * 1000).toISOString(), external_id: 'x'.repeat(150) }),
    );
    await home.pipe(lines.join('\n'), 'votes', 'import', '-');
    const child = home.start('votes', 'export', GUILD);
    assert.ok(child.stdout && child.stderr);
    const stderr = text(child.stderr);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = await once(child, 'exit');
    assert.deepEqual({ code, stderr: await stderr }, { code: 0, stderr: '' });
  });

  it('treats invalid dates and a wrong order as usage errors', async () => {
    const home = await makeHome();
    const command = ['votes', 'export', GUILD];
    assertBadUsage(await home.votary(...command, '--from', 'yesterday'), /--from .*ISO 8601/s);
    assertBadUsage(
      await home.votary(...command, '--from', '2026-01-02', '--to', '2026-01-02'),
      /'--from' must be earlier than '--to'/,
    );
  });

  it('fails for an unknown guild', async () => {
    assertFailed(await (await makeHome()).votary('votes', 'export', GUILD), /is not listed/);
  });
});
