/** The brand of the site: VOTARY_SITE_NAME, VOTARY_SITE_LOGO, VOTARY_SITE_ACCENT and VOTARY_SITE_LINKS. */
import { resolve } from 'node:path';
import { ACCENT_PATTERN, type AccentPalette, deriveAccent } from '../domain/accent.ts';
import { readImageHeader } from '../domain/image-header.ts';
import { readPlainText } from '../domain/text/text.ts';
import { ConfigError, readBytes, type Settings } from './variables.ts';

export type LogoType = 'svg' | 'png' | 'webp';
export type SiteLogo = { type: LogoType; body: Buffer; width: number; height: number };
export type SiteLink = { label: string; url: string };

export type SiteConfig = Readonly<{
  /** Null: the site is called Votary. */
  name: string | null;
  logo: SiteLogo | null;
  accent: AccentPalette | null;
  links: readonly SiteLink[];
}>;

export const DEFAULT_SITE: SiteConfig = { name: null, logo: null, accent: null, links: [] };

const NAME_MAX_LENGTH = 40;
const LABEL_MAX_LENGTH = 40;
const MAX_LINKS = 12;
const MAX_LOGO_BYTES = 256 * 1024;

export function readSite(env: Settings): SiteConfig {
  const { VOTARY_SITE_NAME: name, VOTARY_SITE_LOGO: logo } = env;
  const { VOTARY_SITE_ACCENT: accent, VOTARY_SITE_LINKS: links } = env;
  return {
    name: name ? readName(name) : null,
    logo: logo ? readLogo(resolve(logo)) : null,
    accent: accent ? readAccent(accent) : null,
    links: links ? links.split(',').map(readLink) : [],
  };
}

function readName(value: string): string {
  const name = readPlainText(value, NAME_MAX_LENGTH);
  if (name !== undefined && name !== '') return name;
  throw new ConfigError(
    'VOTARY_SITE_NAME',
    `must be one line of at most ${NAME_MAX_LENGTH} characters, not ${JSON.stringify(value)}`,
  );
}

function readAccent(value: string): AccentPalette {
  const variable = 'VOTARY_SITE_ACCENT';
  if (!ACCENT_PATTERN.test(value)) {
    throw new ConfigError(variable, `must be a color such as #4a3fd6, not ${JSON.stringify(value)}`);
  }
  return deriveAccent(value);
}

function readLink(entry: string, index: number): SiteLink {
  const variable = 'VOTARY_SITE_LINKS';
  const at = entry.indexOf('=');
  const label = readPlainText(entry.slice(0, Math.max(at, 0)).trim(), LABEL_MAX_LENGTH);
  const address = entry.slice(at + 1).trim();
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!label || url?.protocol !== 'https:' || url.username || url.password) {
    throw new ConfigError(
      variable,
      `must be a list such as Terms=https://example.org/terms,Contact=https://example.org/contact (a comma in an address is written %2C), not ${JSON.stringify(entry)}`,
    );
  }
  if (index >= MAX_LINKS) throw new ConfigError(variable, `must have at most ${MAX_LINKS} links`);
  return { label, url: url.href };
}

function readLogo(file: string): SiteLogo {
  const variable = 'VOTARY_SITE_LOGO';
  const body = readBytes(variable, file);
  if (body.length > MAX_LOGO_BYTES) {
    throw new ConfigError(variable, `must be at most ${MAX_LOGO_BYTES / 1024} KiB: ${file}`);
  }
  const logo = readPicture(body) ?? readSvg(body);
  if (logo !== undefined) return { ...logo, body };
  throw new ConfigError(
    variable,
    `must be a PNG or WebP image, or an SVG image with a viewBox or a width and height: ${file}`,
  );
}

type LogoHeader = Omit<SiteLogo, 'body'>;

function readPicture(body: Buffer): LogoHeader | undefined {
  const header = readImageHeader(body);
  if (header === undefined || header.type === 'jpeg') return undefined;
  return withSize(header.type, header.width, header.height);
}

function readSvg(body: Buffer): LogoHeader | undefined {
  const [tag] = /^<svg\b[^>]*>/i.exec(withoutProlog(body.toString('utf8'))) ?? [];
  if (tag === undefined) return undefined;
  const [, box = ''] = /\sviewBox\s*=\s*["']([^"']*)["']/.exec(tag) ?? [];
  const [, , width, height] = box
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  if (width !== undefined && height !== undefined) return withSize('svg', width, height);
  const size = [SVG_WIDTH, SVG_HEIGHT].map((pattern) => Number(pattern.exec(tag)?.[1]));
  return withSize('svg', size[0] ?? 0, size[1] ?? 0);
}

const SVG_WIDTH = /\swidth\s*=\s*["']([\d.]+)(?:px)?["']/;
const SVG_HEIGHT = /\sheight\s*=\s*["']([\d.]+)(?:px)?["']/;

/** The text from its first element on, without an XML declaration, a document type and comments. */
function withoutProlog(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const isDeclaration = /^<(?:\?xml|!DOCTYPE)/i.test(rest);
    if (!isDeclaration && !rest.startsWith('<!--')) return rest;
    const end = isDeclaration ? '>' : '-->';
    const at = rest.indexOf(end);
    if (at === -1) return '';
    rest = rest.slice(at + end.length).trimStart();
  }
}

function withSize(type: LogoType, width: number, height: number): LogoHeader | undefined {
  return width > 0 && height > 0 ? { type, width, height } : undefined;
}
