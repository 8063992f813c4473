import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { html } from '../../../src/site/layout/html.ts';
import { anyText } from '../../support/any-text.ts';

test('values in a page are escaped', () => {
  const hostile = `<script>alert("1")</script> & 'quotes'`;
  assert.equal(
    html`<p title="${hostile}">${hostile}</p>`.text,
    '<p title="&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;quotes&#39;">&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;quotes&#39;</p>',
  );
});

test('no text can close the element or the attribute that contains it', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const rendered = html`${text}`.text;
      assert.doesNotMatch(rendered, /[<>"']/);
      assert.equal(decoded(rendered), text);
    }),
  );
});

test('nested html is not escaped, including in lists', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
  assert.equal(html`<ul>${items}</ul>`.text, '<ul><li>a</li><li>&#60;b&#62;</li></ul>');
});

test('absent values render nothing, and zero is rendered', () => {
  assert.equal(html`[${null}${undefined}${false}${0}]`.text, '[0]');
});

function decoded(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
