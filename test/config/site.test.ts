import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { animatedWebp, WEBP } from '../support/pictures.ts';

const folder = mkdtempSync(join(tmpdir(), 'votary-site-'));
after(() => rmSync(folder, { recursive: true }));

const site = (env: Record<string, string>) => readConfig(env).site;

function logo(name: string, body: string | Buffer) {
  writeFileSync(join(folder, name), body);
  return site({ VOTARY_SITE_LOGO: join(folder, name) }).logo;
}

describe('the name of the site', () => {
  it('is one short line', () => {
    assert.equal(site({ VOTARY_SITE_NAME: ' Top Élite ' }).name, 'Top Élite');
    assert.equal(site({}).name, null);
    for (const name of ['a\nb', 'x'.repeat(41), '   ']) {
      assert.throws(
        () => site({ VOTARY_SITE_NAME: name }),
        /^ConfigError: VOTARY_SITE_NAME must be one line/,
      );
    }
  });
});

describe('the accent color', () => {
  it('must be #rrggbb', () => {
    for (const accent of ['red', '#fff', '4a3fd6', '#4a3fd6;}']) {
      assert.throws(() => site({ VOTARY_SITE_ACCENT: accent }), /must be a color such as #4a3fd6/);
    }
    assert.equal(site({ VOTARY_SITE_ACCENT: '#0B6B45' }).accent?.light.accent, '#0b6b45');
  });

  it('may be bright: light pages use a darker shade of it', () => {
    const accent = site({ VOTARY_SITE_ACCENT: '#FFCC00' }).accent;
    assert.deepEqual([accent?.light.accent, accent?.dark.accent], ['#856b00', '#ffcc00']);
  });
});

describe('the links in the footer', () => {
  it('have a label and an https address', () => {
    assert.deepEqual(
      site({ VOTARY_SITE_LINKS: 'Terms=https://example.org/terms?v=2, À propos =https://example.org' }).links,
      [
        { label: 'Terms', url: 'https://example.org/terms?v=2' },
        { label: 'À propos', url: 'https://example.org/' },
      ],
    );
    for (const links of [
      'https://example.org',
      '=https://example.org',
      'Terms=http://example.org',
      'Terms=javascript:alert(1)',
      'Terms=https://user:pass@example.org',
      'Terms=https://example.org,',
    ]) {
      assert.throws(() => site({ VOTARY_SITE_LINKS: links }), /VOTARY_SITE_LINKS must be a list such as/);
    }
  });

  it('are at most twelve', () => {
    const links = Array.from({ length: 13 }, (_, index) => `L${index}=https://example.org/${index}`);
    assert.equal(site({ VOTARY_SITE_LINKS: links.slice(0, 12).join(',') }).links.length, 12);
    assert.throws(() => site({ VOTARY_SITE_LINKS: links.join(',') }), /at most 12 links/);
  });
});

describe('the logo', () => {
  it('is recognized by its content, with its size', () => {
    const svg =
      '<?xml version="1.0"?>\n<!-- made by hand -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"/>';
    assert.partialDeepStrictEqual(logo('a.txt', svg), { type: 'svg', width: 120, height: 40 });
    const sized = '<svg xmlns="http://www.w3.org/2000/svg" width="32px" height="16"/>';
    assert.partialDeepStrictEqual(logo('b.svg', sized), { type: 'svg', width: 32, height: 16 });
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6B', 'base64');
    assert.partialDeepStrictEqual(logo('c.png', png), { type: 'png', width: 2, height: 3 });
    assert.partialDeepStrictEqual(logo('d.webp', WEBP), { type: 'webp', width: 64, height: 16 });
    assert.partialDeepStrictEqual(logo('e.webp', animatedWebp()), { type: 'webp', width: 64, height: 16 });
  });

  it('is rejected if it is missing, too large or something else', () => {
    assert.throws(
      () => site({ VOTARY_SITE_LOGO: join(folder, 'none') }),
      /cannot be read: .*none: no such file/,
    );
    for (const body of [
      '',
      'GIF89a',
      '<html><svg viewBox="0 0 1 1"/></html>',
      '<svg/>',
      '<svg viewBox="0 0 0 0"/>',
    ]) {
      assert.throws(() => logo('bad.svg', body), /must be a PNG or WebP image, or an SVG image/);
    }
    assert.throws(() => logo('big.png', Buffer.alloc(256 * 1024 + 1)), /at most 256 KiB/);
  });
});
