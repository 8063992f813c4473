import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSmallForm } from '../../../src/site/banner/form-shape.ts';

const BOUNDARY = '----WebKitFormBoundary7MA4YWxk';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const part = (name: string, content = '', headers = '') =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n${headers}\r\n${content}\r\n`;
const form = (...parts: string[]) => Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`, 'latin1');

test('the forms of browsers and clients are accepted', async () => {
  const picture = part('banner', '\x89PNG\r\n\r\n--x'.repeat(1000), 'Content-Type: image/png\r\n');
  assert.ok(isSmallForm(form(part('_csrf', 'abc'), part('alt'), picture), TYPE));
  assert.ok(isSmallForm(form(part('alt')), TYPE.replace(BOUNDARY, `"${BOUNDARY}"`)));
  const data = new FormData();
  data.set('alt', 'A castle');
  data.set('banner', new Blob(['x'.repeat(9000)]), `${'é'.repeat(255)}.png`);
  const response = new Response(data);
  const type = response.headers.get('content-type') ?? '';
  assert.ok(isSmallForm(Buffer.from(await response.arrayBuffer()), type));
});

test('bodies that take long to parse are not', () => {
  const many = Array.from({ length: 9 }, (_, index) => part(`f${index}`));
  assert.ok(isSmallForm(form(...many.slice(0, 7)), TYPE));
  assert.ok(!isSmallForm(form(...many), TYPE), 'many parts');
  assert.ok(!isSmallForm(form(part('a', '', 'a:b\r\n'.repeat(1000))), TYPE), 'many headers');
  assert.ok(!isSmallForm(form(part('a"; name="b'.repeat(1000))), TYPE), 'long header');
  assert.ok(!isSmallForm(Buffer.from(`${'\r\n'.repeat(9)}${form(part('a'))}`), TYPE), 'text before it');
  assert.ok(!isSmallForm(form(part('a')), `${TYPE}; boundary=x`), 'two boundaries');
  for (const type of [
    '',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/mixed; boundary=x',
  ])
    assert.ok(!isSmallForm(form(part('a')), type), type);
});
