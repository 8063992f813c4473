import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../support/api.ts';
import { newVisitor } from './visitor.ts';

onSqlite('the privacy page', (open) => {
  test('says what is stored in both languages, and every page links to it', async () => {
    const { app } = await open();
    const visitor = newVisitor(app);
    const { status, text } = await visitor.get('/privacy');
    assert.equal(status, 200);
    assert.match(text, /<h1>Privacy<\/h1>.*until the community is removed.*erase it/s);
    assert.match((await visitor.get('/')).text, /<a href="\/privacy">Privacy<\/a>/);
    const french = await visitor.get('/privacy', { 'accept-language': 'fr' });
    assert.match(french.text, /<h1>Confidentialité<\/h1>/);
  });
});
