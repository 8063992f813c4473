import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listVotes } from '../../../../src/api/v7/votes/vote-list.ts';
import { DAY_MS, formatInstant, HOUR_MS } from '../../../../src/domain/clock.ts';
import { deriveSecrets } from '../../../../src/domain/secrets.ts';
import { DEFAULT_RATE_LIMIT } from '../../../../src/store/rates.ts';
import { createLeaderboards } from '../../../../src/store/votes/leaderboards.ts';
import { addGuild, importAll, NOW, voteOf } from '../../../store/fixtures.ts';
import { openTemporaryStore } from '../../../support/sqlite.ts';

test('a list leaves out days that are not kept, in its total too', async (t) => {
  const { store, close } = await openTemporaryStore();
  t.after(close);
  const guildId = await addGuild(store);
  // Noon; the day starts at midnight.
  const since = NOW - 12 * HOUR_MS - 62 * DAY_MS;
  await importAll(store, voteOf(guildId, { castAt: since - 1 }), voteOf(guildId, { castAt: since }));
  const clock = () => NOW;
  const deps = {
    ...{
      store,
      clock,
      secrets: deriveSecrets('a secret of the test'),
      leaderboards: createLeaderboards({ store, clock }),
    },
    ...{ rateLimit: DEFAULT_RATE_LIMIT, recordFirstRequest: () => {} },
  };
  const list = (from: number, to: number, keepVotesDays: number | null) =>
    listVotes(
      { ...deps, keepVotesDays },
      { guildId, userId: null },
      { from: formatInstant(from), to: formatInstant(to), limit: 10 },
    );
  const [from, to] = [since - DAY_MS, since + DAY_MS];
  assert.equal((await list(from, to, null)).total, 2);
  const kept = await list(from, to, 62);
  const entriesOf = ({ votes }: { votes: Buffer }): unknown[] => JSON.parse(`[${votes}]`);
  assert.deepEqual([kept.total, entriesOf(kept).length], [1, 1]);
  assert.deepEqual(kept.period, { from: formatInstant(from), to: formatInstant(to) });
  const before = await list(from, since, 62);
  assert.deepEqual([before.total, entriesOf(before).length, before.pagination.has_more], [0, 0, false]);
});
