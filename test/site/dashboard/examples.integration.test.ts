import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GUIDES_PATH } from '../../../src/api/openapi/introduction.ts';
import { DEMO_OPERATORS } from '../../../src/site/sign-in/demo-sign-in.ts';
import { issueKey } from '../../../src/store/guilds/guilds.ts';
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

  const PLATFORMS: [platform: string, code: RegExp, guide: string][] = [
    ['discord-bot', /await fetch\(/, 'discord-bot-node'],
    ['minecraft', /public class Claim/, 'minecraft-paper'],
    ['php', /curl_init\(/, 'azuriom'],
    ['python', /urllib\.request/, 'python'],
    ['other', /curl -X POST|curl -k -X POST/, 'webhooks'],
  ];

  test('shows the claim of the chosen platform first, with the community filled in', async (t) => {
    const { alex, path, guildId } = await openDashboard(t, await open());
    for (const [platform, code, guide] of PLATFORMS) {
      const { text } = await alex.get(path(`/key?platform=${platform}`));
      assert.deepEqual(chosenIn(text), [platform]);
      const claim = /<h2 id="try-it">[\s\S]*?<\/section>/.exec(text)?.[0] ?? '';
      const first = shownIn(claim);
      assert.match(first, code, platform);
      assert.ok(first.includes(`/v7/guild/claims?discord_id=${ALEX}`), platform);
      const settings = /<code id="settings">([^<]*)</.exec(claim)?.[1] ?? '';
      assert.ok(settings.includes(guildId) && settings.includes('YOUR_API_KEY'), settings);
      assert.ok(claim.includes(`href="${GUIDES_PATH}/${guide}"`), guide);
    }
    assert.deepEqual(chosenIn((await alex.get(path('/key?platform=%3Cb%3E'))).text), ['other']);
  });

  test('a link can name the language of the example, if the platform has it', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    for (const [query, code] of [
      ['?language=python', /urllib/],
      ['?language=%3Cb%3E', /curl -k? ?-X POST/],
      ['?platform=minecraft&language=curl', /curl -k? ?-X POST/],
      ['?platform=minecraft&language=python', /public class Claim/],
    ] as const)
      assert.match(shownIn((await alex.get(path(`/key${query}`))).text), code, query);
  });

  test('has the parts Key, Links and Buttons, and each has one primary action', async (t) => {
    const { alex, path, store, secrets, guildId, clock } = await openDashboard(t, await open());
    await issueKey(store, secrets, guildId, clock());
    const { text } = await alex.get(path('/key'));
    const tabs = [...text.matchAll(/<a class="to-[a-z]+" href="#([a-z-]+)">([^<]+)</g)].map(
      ([, id, name]) => [id, name],
    );
    assert.deepEqual(tabs, [
      ['part-key', 'Key'],
      ['part-links', 'Links'],
      ['part-buttons', 'Buttons'],
    ]);
    const parts = text.split('<div class="part-page').slice(1);
    const primary = parts.map((part) =>
      [...part.matchAll(/<button(?: type="button")? class="small"[^>]*>([^<]+)/g)].map(([, name]) => name),
    );
    assert.deepEqual(primary, [['Copy key'], ['Copy standard link'], ['Copy HTML']]);
    const { text: french } = await alex.get(path('/key'), { 'accept-language': 'fr' });
    assert.match(french, />Clé<\/a>\s*<a [^>]+>Liens<\/a>\s*<a [^>]+>Boutons</);
  });

  test('names the platforms in both languages, as links', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const names = async (language: string) => {
      const { text } = await alex.get(path('/key'), { 'accept-language': language });
      const chooser =
        /<nav class="row platform-choice" aria-label="[^"]+">([\s\S]*?)<\/nav>/.exec(text)?.[1] ?? '';
      return [...chooser.matchAll(/<a [^>]*>([^<]+)</g)].map(([, name]) => name);
    };
    assert.deepEqual(await names('en'), ['Discord bot', 'Minecraft', 'PHP or Azuriom', 'Python', 'Other']);
    assert.deepEqual(await names('fr'), ['Bot Discord', 'Minecraft', 'PHP ou Azuriom', 'Python', 'Autre']);
  });

  test('keeps the platform when the key is revealed, and fills the key in only then', async (t) => {
    const { alex, path, store, secrets, guildId, clock } = await openDashboard(t, await open());
    const key = await issueKey(store, secrets, guildId, clock());
    assert.ok(key);
    const page = await alex.get(path('/key?platform=minecraft'));
    assert.ok(!page.text.includes(key));
    const shown = await alex.submit(page, path('/key/reveal'), { platform: 'minecraft' });
    assert.deepEqual(chosenIn(shown.text), ['minecraft']);
    assert.match(shown.text, new RegExp(`<code id="settings">[^<]*api-key: ${key}<`));
    assert.ok(page.text.includes('name="platform" value="minecraft"'));
    assert.ok(!(await alex.get(path('/key?platform=python'))).text.includes(key));
  });
});

/** The example that the style sheet shows: the only one, or the one after the checked radio button. */
function shownIn(claim: string): string {
  const all = [
    ...claim.matchAll(
      /(?:<input[^>]*?( checked)?[^>]*><label[^>]*>[^<]+<\/label>)?<div class="language">([\s\S]*?)<\/pre>/g,
    ),
  ];
  const shown =
    all.length === 1 ? all : all.filter(([text]) => / checked/.test(text.split('<label')[0] ?? ''));
  assert.equal(shown.length, 1);
  return shown[0]?.[2] ?? '';
}

/** The platforms that the chooser marks as chosen. */
function chosenIn(text: string): string[] {
  const chosen = text.matchAll(/\/key(?:\?platform=([a-z-]+))?#try-it" aria-current="true"/g);
  return Array.from(chosen, ([, name = 'other']) => name);
}
