import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/main.ts';
import { openStore } from '../../../src/store/open.ts';
import {
  assertBadUsage,
  assertDone,
  assertFailed,
  GUILD,
  type Home,
  makeHome,
  makeHomeWithGuild,
  OTHER_GUILD,
  voteLine,
} from '../votary.ts';

const FRESH = {
  guild_id: GUILD,
  name: 'My Community',
  doubling: 'never',
  premium_until: null,
  sanctioned: false,
  sanction_reason: null,
  listed: true,
  rate_limit: null,
  player_names: 'exact',
  listforge_consumer: 'default',
  has_key: false,
};

/** Runs `guild remove` on a terminal and answers its prompt. */
async function answerOnTerminal(home: Home, answer: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.write(`${answer}\n`);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const environment = { VOTARY_DATA_DIR: home.dataDir };
  const context = { environment, clock: Date.now, stdin, stdout, stderr };
  const code = await runCommandLine(['guild', 'remove', GUILD], context);
  assert.match(String(stderr.read()), /has 1 vote, which would be deleted\. Continue\? \[y\/N\] /);
  const guilds = await home.json('guild', 'list');
  return { code, isListed: Array.isArray(guilds) && guilds.length === 1 };
}

describe('votary guild', { concurrency: 4 }, () => {
  it('adds a guild, shows it, lists it and removes it', async () => {
    const home = await makeHome();
    const added = await home.json('guild', 'add', GUILD, '--name', '  My Community ');
    assert.deepEqual(added, { guild_id: GUILD, name: 'My Community' });

    const shown = await home.json('guild', 'show', GUILD);
    assert.ok(shown && typeof shown === 'object' && 'created_at' in shown);
    assert.match(String(shown.created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(shown, { ...FRESH, created_at: shown.created_at });
    assert.deepEqual(await home.json('guild', 'list'), [shown]);

    assert.deepEqual(await home.json('guild', 'remove', GUILD), { guild_id: GUILD, removed: true });
    assert.deepEqual(await home.json('guild', 'list'), []);
  });

  it('finishes a removal that was interrupted, and does not add the guild before', async () => {
    const home = await makeHome();
    await home.votary('guild', 'add', GUILD);
    const lines = Array.from({ length: 3 }, (_, i) => voteLine({ user_id: `20000000000000000${i}` }));
    assert.equal((await home.pipe(lines.join('\n'), 'votes', 'import', '-')).code, 0);
    const store = await openStore({ kind: 'sqlite', path: join(home.dataDir, 'votary.db') });
    const onProgress = () => {
      throw new Error('killed');
    };
    await assert.rejects(store.guilds.remove(GUILD, { batchSize: 1, onProgress }), /killed/);
    await store.close();

    assert.deepEqual(await home.json('guild', 'list'), []);
    assertFailed(
      await home.votary('guild', 'add', GUILD),
      /still being removed; finish that with: votary guild remove/,
    );
    assert.deepEqual(await home.json('guild', 'remove', GUILD), { guild_id: GUILD, removed: true });
    assertFailed(await home.votary('guild', 'remove', GUILD), /is not listed/);
    assert.equal((await home.votary('guild', 'add', GUILD)).code, 0);
  });

  it('removes a guild with votes only with --yes, or after confirmation on a terminal', async () => {
    const home = await makeHomeWithGuild();
    assertDone(await home.pipe(`${voteLine()}\n`, 'votes', 'import', '-'));
    assertFailed(
      await home.votary('guild', 'remove', GUILD),
      /Guild 123456789012345678 has 1 vote, which would be deleted\. Add --yes to confirm\./,
    );
    assert.deepEqual(await answerOnTerminal(home, 'n'), { code: 1, isListed: true });
    assert.deepEqual(await answerOnTerminal(home, 'y'), { code: 0, isListed: false });
    assertDone(await home.votary('guild', 'add', GUILD));
    assertDone(await home.pipe(`${voteLine()}\n`, 'votes', 'import', '-'));
    assert.deepEqual(await home.json('guild', 'remove', GUILD, '--yes'), { guild_id: GUILD, removed: true });
  });

  it('uses the id as the name if no name is given', async () => {
    const home = await makeHome();
    assert.deepEqual(await home.json('guild', 'add', GUILD), { guild_id: GUILD, name: GUILD });
  });

  it('rejects a guild that exists already, and keeps its name', async () => {
    const home = await makeHomeWithGuild();
    assertFailed(
      await home.votary('guild', 'add', GUILD, '--name', 'Another'),
      /already listed; nothing was changed/,
    );
    assert.match((await home.votary('guild', 'show', GUILD)).stdout, new RegExp(`^Name +${GUILD}$`, 'm'));
  });

  it('lists guilds in aligned columns', async () => {
    const home = await makeHome();
    await home.votary('guild', 'add', GUILD, '--name', 'Été 🎮');
    await home.votary('guild', 'add', OTHER_GUILD, '--name', 'A longer name');
    const { stdout } = await home.votary('guild', 'list');
    assert.equal(
      stdout,
      [
        'GUILD               NAME           KEY  PREMIUM UNTIL  SANCTIONED',
        `${GUILD}  Été 🎮          no   -              no`,
        `${OTHER_GUILD}  A longer name  no   -              no`,
        '',
      ].join('\n'),
    );
  });

  it('explains how to add the first guild', async () => {
    const home = await makeHome();
    const outcome = await home.votary('guild', 'list');
    assertDone(outcome);
    assert.match(outcome.stdout, /votary guild add/);
  });

  it('fails for an unknown guild', async () => {
    const home = await makeHome();
    assertFailed(await home.votary('guild', 'show', GUILD), new RegExp(`guild ${GUILD} is not listed`));
    assertFailed(await home.votary('guild', 'remove', GUILD, '--json'), /votary guild add/);
  });

  it('shows that a sanctioned guild is not in the listing', async () => {
    const home = await makeHomeWithGuild();
    await home.json('guild', 'unlist', GUILD);
    await home.json('sanction', 'add', GUILD);
    assert.deepEqual(await home.json('guild', 'relist', GUILD), { guild_id: GUILD, listed: false });
    assert.match((await home.votary('guild', 'relist', GUILD)).stdout, /but not while it is sanctioned/);
    assert.match(
      (await home.votary('guild', 'show', GUILD)).stdout,
      /^In the listing +no, while it is sanctioned$/m,
    );
    await home.json('sanction', 'lift', GUILD);
    assert.match((await home.votary('guild', 'show', GUILD)).stdout, /^In the listing +yes$/m);
  });

  it('renames a guild, unlists it and lists it again', async () => {
    const home = await makeHomeWithGuild();
    const name = 'Été 🎮';
    assert.deepEqual(await home.json('guild', 'rename', GUILD, ` ${name} `), { guild_id: GUILD, name });
    assert.deepEqual(await home.json('guild', 'unlist', GUILD), { guild_id: GUILD, listed: false });
    const { stdout } = await home.votary('guild', 'show', GUILD);
    assert.match(stdout, /^Name +Été 🎮$/m);
    assert.match(stdout, /^In the listing +no, since 2/m);
    assert.deepEqual(await home.json('guild', 'relist', GUILD), { guild_id: GUILD, listed: true });
    assert.match((await home.votary('guild', 'show', GUILD)).stdout, /^In the listing +yes$/m);
    for (const command of [
      ['rename', OTHER_GUILD, 'x'],
      ['unlist', OTHER_GUILD],
      ['relist', OTHER_GUILD],
    ])
      assertFailed(await home.votary('guild', ...command), /is not listed/);
    assertBadUsage(await home.votary('guild', 'rename', GUILD, ' '), /1 to 100 characters/);
  });

  const badIds = [
    '12345678901234',
    '123456789012345678901',
    '12345678901234a',
    '１２３４５６７８９０１２３４５６',
    '',
  ];
  for (const id of badIds) {
    it(`treats "${id}" as a usage error`, async () => {
      const home = await makeHome();
      assertBadUsage(await home.votary('guild', 'add', id), /'guild_id'\. It must be 15 to 20 digits/);
    });
  }

  const badNames = {
    empty: '',
    blank: '   ',
    'of 101 characters': 'x'.repeat(101),
    'with a control character': 'a\u001b[2Jb',
  };
  for (const [what, name] of Object.entries(badNames)) {
    it(`treats a name ${what} as a usage error`, async () => {
      const home = await makeHome();
      assertBadUsage(
        await home.votary('guild', 'add', GUILD, '--name', name),
        /--name .*1 to 100 characters/s,
      );
    });
  }

  it('accepts a name of 100 emoji', async () => {
    const name = '🎮'.repeat(100);
    assert.deepEqual(await (await makeHome()).json('guild', 'add', GUILD, '--name', name), {
      guild_id: GUILD,
      name,
    });
  });
});

it('guild rate-limit sets the limit of a key, or the default again', async () => {
  const home = await makeHome();
  await home.votary('guild', 'add', GUILD);
  const limit = (value: string) => home.votary('guild', 'rate-limit', GUILD, value);
  assert.match((await limit('300')).stdout, /has 300 requests per minute/);
  const shown = async () => Object(await home.json('guild', 'show', GUILD, '--json')).rate_limit;
  assert.equal(await shown(), 300);
  assert.match((await home.votary('guild', 'show', GUILD)).stdout, /Rate limit +300 per minute/);
  for (const wrong of ['0', '100001', '1e3', '-1', 'none']) {
    const { code, stderr } = await limit(wrong);
    assert.equal(code, 2, wrong);
    assert.match(stderr, /1 to 100000|unknown option/);
  }
  assert.match((await limit('default')).stdout, /has the default rate limit/);
  assert.equal(await shown(), null);
});

it('guild player-names and guild listforge-consumer set how votes are claimed', async () => {
  const home = await makeHome();
  await home.votary('guild', 'add', GUILD);
  assert.deepEqual(await home.json('guild', 'player-names', GUILD, 'minecraft'), {
    guild_id: GUILD,
    player_names: 'minecraft',
  });
  await home.votary('guild', 'listforge-consumer', GUILD, 'survival');
  const { player_names, listforge_consumer } = Object(await home.json('guild', 'show', GUILD));
  assert.deepEqual([player_names, listforge_consumer], ['minecraft', 'survival']);
  assert.equal((await home.votary('guild', 'player-names', GUILD, 'fuzzy')).code, 2);
  assert.equal((await home.votary('guild', 'listforge-consumer', GUILD, 'Not a name')).code, 2);
});
