import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRemoval } from '../../../src/store/guilds/removal.ts';
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

  test(`the removal of a guild finds its rows by an index on ${name}`, () => withPlans(checkRemoval));
}

/** Every table, and those that are deleted with its rows. */
async function checkRemoval(explain: Explain): Promise<void> {
  const plans = await explain(createRemoval);
  assert.ok(plans.length > 20);
  for (const read of plans.flat())
    assert.match(read, /^\w+ \w+ (?:guild_id|rowid)|^guilds guilds_removed/, plans.join('\n'));
}
