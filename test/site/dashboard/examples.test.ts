import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GUIDES_PATH } from '../../../src/api/openapi/introduction.ts';
import { DEMO_OPERATORS } from '../../../src/site/sign-in/demo-sign-in.ts';
import { onSqlite } from '../../support/api.ts';
import { openDashboard } from './open-dashboard.ts';

const [ALEX = ''] = DEMO_OPERATORS;

onSqlite('the page Developer & API', (open) => {
  test('claims the vote of the admin first, then checks one, and links the guides and clients', async (t) => {
    const { alex, path, guildId } = await openDashboard(t, await open());
    const { text } = await alex.get(path('/key'));
    const claim = text.indexOf(`/v7/guild/claims?discord_id=${ALEX}`);
    const check = text.indexOf('/v7/vote-check?');
    assert.ok(claim > 0 && check > claim, `${claim} ${check}`);
    assert.ok(text.includes(`<a href="/guild/${guildId}/vote">`));
    for (const guide of ['discord-bot-node', 'minecraft-paper', 'php-cms', 'python', 'webhooks'])
      assert.ok(text.includes(`href="${GUIDES_PATH}/${guide}"`), guide);
    assert.ok(text.includes('href="/docs/clients"'));
    const french = await alex.get(path('/key'), { 'accept-language': 'fr' });
    assert.match(
      french.text,
      /Récompenser un vote[\s\S]*Vérifier un vote[\s\S]*Continuer sur votre plateforme/,
    );
  });
});
