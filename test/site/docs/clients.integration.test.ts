import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onSqlite } from '../../support/api.ts';

const ROOT = join(import.meta.dirname, '../../..');

onSqlite('the client libraries', (open) => {
  const files = [
    ['votary.py', 'clients/python/votary.py', 'text/x-python; charset=utf-8'],
    ['Votary.php', 'clients/php/Votary.php', 'text/x-php; charset=utf-8'],
  ] as const;
  for (const [name, source, type] of files) {
    test(`${name} can be downloaded, and its checksum is listed`, async () => {
      const api = await open();
      const body = readFileSync(join(ROOT, source), 'utf8');
      const { status, headers, text } = await api.get(`/docs/files/${name}`, { key: null });
      assert.deepEqual([status, headers['content-type'], text], [200, type, body]);
      assert.equal(headers['content-disposition'], `attachment; filename="${name}"`);
      assert.equal(headers['cache-control'], 'public, no-cache');
      // `*` matches every version of a file that exists.
      for (const known of [String(headers.etag), `"other", W/${headers.etag}`, '*']) {
        const again = await api.get(`/docs/files/${name}`, {
          key: null,
          headers: { 'if-none-match': known },
        });
        assert.deepEqual([again.status, again.text], [304, ''], known);
      }
      const page = await api.get('/docs/clients', { key: null });
      assert.ok(page.text.includes(createHash('sha256').update(body).digest('hex')));
      assert.ok(page.text.includes(`href="/docs/files/${name}"`));
    });
  }

  test('a file has the checksums of all downloads, in the format of sha256sum', async () => {
    const api = await open();
    const { status, headers, text } = await api.get('/docs/files/SHA256SUMS', { key: null });
    assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8']);
    for (const [name, source] of files) {
      const sha256 = createHash('sha256')
        .update(readFileSync(join(ROOT, source)))
        .digest('hex');
      assert.ok(text.includes(`${sha256}  ${name}\n`), name);
    }
  });

  test('a clone says how to build the Minecraft plugin, in both languages', async () => {
    const api = await open();
    assert.equal((await api.get('/docs/files/votary-minecraft.jar', { key: null })).status, 404);
    for (const [language, sentence] of [
      ['en', 'The plugin is part of the installed package'],
      ['fr', 'Le plugin fait partie du paquet installé'],
    ] as const) {
      const { text } = await api.get('/docs/clients', {
        key: null,
        headers: { 'accept-language': language },
      });
      assert.ok(text.includes(sentence), language);
    }
  });

  test('the page says that the SDK could not be packed, in both languages, and does not offer it', async () => {
    const api = await open();
    assert.equal((await api.get('/docs/files/votary-sdk.tgz', { key: null })).status, 404);
    for (const [language, sentence] of [
      ['en', 'the SDK could not be packed'],
      ['fr', 'le SDK n’a pas pu être empaqueté'],
    ] as const) {
      const headers = { 'accept-language': language };
      const { status, text } = await api.get('/docs/clients', { key: null, headers });
      assert.equal(status, 200);
      assert.ok(text.includes(sentence), language);
      assert.match(text.replaceAll(/<[^<>]*>/g, ''), /node scripts\/sdk-package\.ts/);
    }
  });
});
