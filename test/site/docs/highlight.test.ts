import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { highlight } from '../../../src/site/docs/highlight.ts';

const GUIDES = new URL('../../../docs/guides/', import.meta.url);

const textOf = (html: string) =>
  html.replaceAll(/<\/?span[^>]*>/g, '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code));

test('comments, strings, numbers and keywords are marked, and everything is escaped', () => {
  assert.equal(
    highlight('if (a < 1) return "x // y"; // <b>', 'js'),
    '<span class="code-keyword">if</span> (a &#60; <span class="code-number">1</span>) <span class="code-keyword">return</span> <span class="code-string">&#34;x // y&#34;</span>; <span class="code-comment">// &#60;b&#62;</span>',
  );
  assert.equal(highlight('<b>', 'unknown'), '&#60;b&#62;');
  assert.equal(highlight('url="https://a#b" # note', 'sh').match(/code-comment/g)?.length, 1);
});

test('the text of every program in the guides stays the same', () => {
  let programs = 0;
  for (const name of readdirSync(GUIDES)) {
    const guide = readFileSync(new URL(name, GUIDES), 'utf8');
    for (const [, language = '', code = ''] of guide.matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```$/gm)) {
      programs += 1;
      assert.equal(textOf(highlight(code, language)), code, name);
    }
  }
  assert.ok(programs > 30);
});
