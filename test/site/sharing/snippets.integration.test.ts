import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snippetsFor } from '../../../src/site/sharing/badge.ts';
import { onSqlite } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';

const SITE = 'https://votes.example';
const guild = (name: string) => ({ guildId: '100000000000000001', name });

test('the vote button is a link around the badge, in three formats', () => {
  assert.deepEqual(snippetsFor('fr', SITE, guild('Été')), {
    html: '<a href="https://votes.example/guild/100000000000000001/vote"><img src="https://votes.example/guild/100000000000000001/badge.svg?locale=fr" alt="Voter pour Été" height="20"></a>',
    markdown:
      '[![Voter pour Été](https://votes.example/guild/100000000000000001/badge.svg?locale=fr)](https://votes.example/guild/100000000000000001/vote)',
    bbcode:
      '[url=https://votes.example/guild/100000000000000001/vote][img]https://votes.example/guild/100000000000000001/badge.svg?locale=fr[/img][/url]',
  });
});

test('a hostile name cannot break out of the pasted text', () => {
  const { html, markdown } = snippetsFor('en', SITE, guild('"><script> ](https://evil.example)'));
  assert.match(html, / alt="Vote for &#34;&#62;&#60;script&#62; \]\(https:\/\/evil\.example\)" height/);
  assert.ok(markdown.startsWith('[![Vote for "\\>\\<script\\> \\](https://evil.example)]('));
});

onSqlite('the key tab', (open) => {
  test('shows the vote button with the address of this site', async () => {
    const api = await open();
    await api.store.guilds.add({ guildId: '100000000000000001', name: 'Demo', createdAt: api.clock() });
    const visitor = newVisitor(api.app, { host: 'localhost:8443' });
    await visitor.signIn('Alex');
    const { text } = await visitor.get('/dashboard/100000000000000001/key');
    assert.ok(text.includes('[url=https://localhost:8443/guild/100000000000000001/vote][img]'));
    assert.match(text, /<img src="\/guild\/100000000000000001\/badge\.svg\?locale=en" alt="Vote for Demo"/);
  });
});
