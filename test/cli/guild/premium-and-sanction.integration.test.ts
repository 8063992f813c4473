import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertBadUsage, assertFailed, GUILD, makeHome, makeHomeWithGuild } from '../votary.ts';

describe('votary premium', { concurrency: 4 }, () => {
  it('grants Premium until a given time, in any offset, and revokes it', async () => {
    const home = await makeHomeWithGuild();
    assert.deepEqual(await home.json('premium', 'grant', GUILD, '--until', '2090-01-01T02:00:00+02:00'), {
      guild_id: GUILD,
      premium_until: '2090-01-01T00:00:00.000Z',
    });
    assert.match(
      (await home.votary('guild', 'show', GUILD)).stdout,
      /^Premium until +2090-01-01T00:00:00.000Z$/m,
    );
    assert.deepEqual(await home.json('premium', 'revoke', GUILD), { guild_id: GUILD, premium_until: null });
    assert.match((await home.votary('guild', 'show', GUILD)).stdout, /^Premium until +-$/m);
  });

  it('treats an invalid or missing date as a usage error', async () => {
    const home = await makeHome();
    const grant = ['premium', 'grant', GUILD];
    assertBadUsage(await home.votary(...grant, '--until', 'tomorrow'), /--until .*must be an ISO 8601 date/s);
    assertBadUsage(await home.votary(...grant, '--until', '2090-02-30'), /must be an ISO 8601 date/);
    assertBadUsage(await home.votary(...grant), /--until/);
  });

  it('accepts a date in the past and says that Premium has ended', async () => {
    const home = await makeHomeWithGuild();
    const { stdout } = await home.votary('premium', 'grant', GUILD, '--until', '2020-01-01');
    assert.match(stdout, /has no Premium: it ended at 2020-01-01T00:00:00.000Z/);
  });

  it('fails for an unknown guild', async () => {
    const home = await makeHome();
    assertFailed(await home.votary('premium', 'grant', GUILD, '--until', '2090-01-01'), /is not listed/);
    assertFailed(await home.votary('premium', 'revoke', GUILD), /is not listed/);
  });
});

describe('votary sanction', { concurrency: 4 }, () => {
  it('sanctions a guild with a reason and lifts it', async () => {
    const home = await makeHomeWithGuild();
    assert.deepEqual(await home.json('sanction', 'add', GUILD, '--reason', 'bought votes'), {
      guild_id: GUILD,
      sanctioned: true,
      reason: 'bought votes',
    });
    assert.match((await home.votary('guild', 'show', GUILD)).stdout, /^Sanctioned +yes: bought votes$/m);
    assert.deepEqual(await home.json('sanction', 'lift', GUILD), { guild_id: GUILD, sanctioned: false });
    assert.match((await home.votary('guild', 'show', GUILD)).stdout, /^Sanctioned +no$/m);
  });

  it('does not require a reason', async () => {
    const home = await makeHomeWithGuild();
    assert.deepEqual(await home.json('sanction', 'add', GUILD), {
      guild_id: GUILD,
      sanctioned: true,
      reason: null,
    });
  });

  it('fails for an unknown guild', async () => {
    const home = await makeHome();
    assertFailed(await home.votary('sanction', 'add', GUILD), /is not listed/);
    assertFailed(await home.votary('sanction', 'lift', GUILD), /is not listed/);
  });
});
