/** Parts of examples/listing-site that need no service. */
import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { isOwnForm, visitorAddress } from '../../examples/listing-site/http.ts';
import { html } from '../../examples/listing-site/pages.ts';

function requestFrom(remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const request = new IncomingMessage(socket);
  Object.assign(request.headers, headers);
  for (const [name, value] of Object.entries(headers)) request.headersDistinct[name] = [value];
  return request;
}

describe('the address of a visitor', () => {
  const forwarded = { 'x-forwarded-for': '192.0.2.1, 203.0.113.9' };

  it('is that of the connection, whatever the visitor claims', () => {
    assert.equal(visitorAddress(requestFrom('198.51.100.7', forwarded), undefined), '198.51.100.7');
    assert.equal(visitorAddress(requestFrom('198.51.100.7', forwarded), '127.0.0.1'), '198.51.100.7');
  });

  it('is the one that the trusted proxy added', () => {
    assert.equal(visitorAddress(requestFrom('127.0.0.1', forwarded), '127.0.0.1'), '203.0.113.9');
    assert.equal(visitorAddress(requestFrom('127.0.0.1'), '127.0.0.1'), '127.0.0.1');
  });
});

describe('a form', () => {
  const cases: [isOwn: boolean, headers: Record<string, string>][] = [
    [true, { 'sec-fetch-site': 'same-origin' }],
    [false, { 'sec-fetch-site': 'same-site' }],
    [false, { 'sec-fetch-site': 'cross-site' }],
    [true, { host: 'list.example.org', origin: 'https://list.example.org' }],
    [false, { host: 'list.example.org', origin: 'https://attacker.example' }],
    [false, { host: 'list.example.org', origin: 'null' }],
  ];
  for (const [isOwn, headers] of cases)
    it(`is ${isOwn ? '' : 'not '}our own with ${JSON.stringify(headers)}`, () => {
      assert.equal(isOwnForm(requestFrom('198.51.100.7', headers)), isOwn);
    });
});

it('names of communities cannot contain HTML', () => {
  const name = `<script>"'&`;
  assert.equal(
    html`<a title="${name}">${[html`<b>${1}</b>`, name, null]}</a>`.text.includes('<script>'),
    false,
  );
  assert.equal(html`${name}`.text, '&#60;script&#62;&#34;&#39;&#38;');
});
