import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRemoval } from '../../../src/store/guilds/removal.ts';
import { createErasure } from '../../../src/store/personal-data/erasure.ts';
import { createPersonalExport } from '../../../src/store/personal-data/export.ts';
import { createSharedStores } from '../../../src/store/shared.ts';
import { GUILD_PLANS } from './expected/guilds.ts';
import { MODERATION_PLANS } from './expected/moderation.ts';
import { VOTE_PLANS } from './expected/votes.ts';
import { WEBHOOK_PLANS } from './expected/webhooks.ts';
import { type Explain, withPostgresPlans, withSqlitePlans } from './statements.ts';

const databases = [
  { name: 'SQLite', kind: 'sqlite', withPlans: withSqlitePlans },
  { name: 'PostgreSQL', kind: 'postgres', withPlans: withPostgresPlans },
] as const;

for (const { name, kind, withPlans } of databases) {
  test(`every statement that is written once uses its index on ${name}`, () =>
    withPlans(async (explain) => {
      for (const [create, expected] of [
        ...GUILD_PLANS,
        ...VOTE_PLANS,
        ...MODERATION_PLANS,
        ...WEBHOOK_PLANS,
      ]) {
        const plans = await explain(create);
        const labels = Object.keys(expected);
        const wanted = Object.entries(expected).map(([label, plan]) => [
          label,
          'sqlite' in plan ? plan[kind] : plan,
        ]);
        assert.deepEqual(
          plans.map((plan, index) => [labels[index] ?? 'a statement without an expected plan', plan]),
          wanted,
        );
      }
    }));

  // They are prepared when they are first used, so a wrong one would fail long after the start.
  test(`every statement of the shared stores can be prepared on ${name}`, () =>
    withPlans(async (explain) => {
      const plans = await explain((database) => createSharedStores(database, UNUSED_PARTS));
      assert.ok(plans.length > 200, String(plans.length));
    }));

  test(`erasing and exporting a user reads no table of votes as a whole on ${name}`, () =>
    withPlans(checkPersonalData));

  test(`the removal of a guild finds its rows by an index on ${name}`, () => withPlans(checkRemoval));
}

/** What each database does in its own way; no statement is prepared by it here. */
const UNUSED_PARTS: Parameters<typeof createSharedStores>[1] = Object({ erasure: {}, networks: {} });

/** Read as a whole. `v` are voided votes. */
const SMALL_TABLES = /^(?:activities|guild_profiles|guilds|operator_actions|v|void_batches|voter_bans) /;
/** All rows of a guild that are kept for a day, or were voided. */
const SMALL_IN_GUILD = /^(?:idempotency_keys|released_(?:consumer_)?claims|v|voided_votes|activities) /;
/** By guild and something else, by the user, or in pages. */
const BY_INDEX = /^\w+ \w+ (?:guild_id,\w+|user_id|name_key|user_hash|at|token_id|rowid)/;

async function checkPersonalData(explain: Explain): Promise<void> {
  const unused = { forgetNetworks: async () => {}, removeCopies: async () => {} };
  const plans = [
    ...(await explain((database) => createErasure(database, async (userId) => userId, unused))),
    ...(await explain((database) => createPersonalExport(database, async (userId) => userId))),
  ];
  assert.ok(plans.length > 50);
  for (const read of plans.flat())
    assert.ok(
      [SMALL_TABLES, SMALL_IN_GUILD, BY_INDEX, /^sort$/].some((known) => known.test(read)),
      read,
    );
}

/** Every table, and those that are deleted with its rows. */
async function checkRemoval(explain: Explain): Promise<void> {
  const plans = await explain(createRemoval);
  assert.ok(plans.length > 20);
  for (const read of plans.flat())
    assert.match(read, /^\w+ \w+ (?:guild_id|rowid)|^guilds guilds_removed/, plans.join('\n'));
}
