import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR_ACTIONS } from '../../../src/store/moderation/audit.ts';
import { type Api, onSqlite, USER } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';

async function textOfLog({ app }: Api, locale: 'en' | 'fr'): Promise<string> {
  const visitor = newVisitor(app);
  await visitor.signIn('Alex');
  await visitor.get(`/locale?to=${locale}&back=/`);
  const { text } = await visitor.get('/operator/log');
  return /<tbody>(.*)<\/tbody>/s.exec(text)?.[1] ?? '';
}

/** Text only, without attributes. */
function wordsOf(text: string): string {
  return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

onSqlite('the log of operators', (open) => {
  test('says in words what was done, in both languages', async () => {
    const api = await open();
    const { store, guildId, clock } = api;
    await store.guilds.rename(guildId, 'Castle');
    await store.users.remember({ userId: USER, name: 'Camille', avatar: null }, clock());
    const record = (action: (typeof OPERATOR_ACTIONS)[number], detail = {}) =>
      store.audit.record({ at: clock(), actor: null, action, guildId, detail });
    for (const selection of [
      'vote',
      `--user ${USER}`,
      '--external-id Steve 42',
      '--mark young_account',
      '--network-of vote_1',
    ])
      await record('votes_voided', { selection, votes: 1, batch: 'void_1', reason: 'a farm' });
    await record('premium_changed', { until: '2030-01-01T12:00:00.000Z' });
    await record('token_created', {
      ...{ name: 'Billing', token: 'tok_1', scopes: 'guilds:read votes:write', until: null },
    });
    await record('voter_banned', {
      ...{ userId: USER, until: null, reason: 'scripts', publicReason: 'Automated votes' },
    });
    await record('claims_changed', { playerNames: 'ignore-case' });
    await record('rate_limit_changed', { rateLimit: null });
    const english = await textOfLog(api, 'en');
    for (const shown of [
      'Only this vote',
      'All votes of Camille',
      'All votes under the name Steve 42',
      'All votes with the mark Young account',
      'Until: Jan 1, 2030, 12:00 PM UTC',
      'Name: Billing',
      'Scopes: read communities, cast votes',
      'Until: Permanent',
      'Internal note: scripts',
      'Reason shown to the voter: Automated votes',
      'Player name: Ignore case',
      'Requests per minute: Default',
      'Community: Castle',
    ])
      assert.ok(
        wordsOf(english)
          .replace(/ C (?=Camille)/g, ' ')
          .includes(shown),
        `${shown} in ${wordsOf(english)}`,
      );
    const french = wordsOf(await textOfLog(api, 'fr'));
    for (const shown of ['Ce vote seulement', 'lecture des communautés', 'Note interne', 'Compte récent'])
      assert.ok(french.includes(shown), shown);
    for (const raw of [/--\w/, /young_account/, /guilds:read/, /tok_1/, /ignore-case/, /2030-01-01T/]) {
      assert.doesNotMatch(wordsOf(english), raw);
      assert.doesNotMatch(french, raw);
    }
  });

  test('names the token or the operator that acted, and keeps the name of a removed community', async () => {
    const api = await open();
    const { store, clock } = api;
    clock.advance(1000);
    const guildId = '400000000000000009';
    await store.audit.record({
      ...{ at: clock(), actor: { tokenId: 'tok_0123456789abcdef', name: 'Listing site' } },
      ...{ action: 'guild_removed', guildId, detail: { guild: 'Gone' } },
    });
    const words = wordsOf(await textOfLog(api, 'en'));
    assert.match(words, /Token Listing site Removed a community Community: Gone 400000000000000009/);
  });

  test('every action has words in both languages', async () => {
    const api = await open();
    const { store, clock } = api;
    clock.advance(1000);
    for (const action of OPERATOR_ACTIONS)
      await store.audit.record({ at: clock(), actor: null, action, guildId: null, detail: {} });
    for (const locale of ['en', 'fr'] as const) {
      const words = wordsOf(await textOfLog(api, locale));
      for (const action of OPERATOR_ACTIONS) assert.ok(!words.includes(action), action);
      assert.ok(!words.includes('undefined'));
    }
  });
});
