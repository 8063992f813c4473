/** The name, logo, accent color and links of the operator's site, and the files that pages load for them. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SiteConfig, SiteLink, SiteLogo } from '../../config/site.ts';
import type { AccentColors, AccentPalette } from '../../domain/accent.ts';
import { asset, CACHED_FOR_A_DAY, CACHED_FOR_A_YEAR, PUBLIC_DIRECTORY, sendIcon } from './assets.ts';

export const PRODUCT_NAME = 'Votary';
export const DEFAULT_ACCENT = '#4a3fd6';
/** The page background, `--bg` in theme.css, which browsers also use around the page. */
export const THEME_COLORS = { light: '#f6f6fa', dark: '#101118' };

declare module 'fastify' {
  interface FastifyInstance {
    brand: Brand;
  }
}

type BrandFile = { type: string; body: Buffer };
type BrandIcon = { href: string; type: string; sizes: string };

export type Brand = {
  name: string;
  /** The operator chose a name, so the product is only mentioned in the footer. */
  hasOwnName: boolean;
  links: readonly SiteLink[];
  /** The accent color on light and on dark backgrounds. */
  colors: { light: string; dark: string };
  /** Without one, pages draw the default mark in the accent color. */
  logo: { href: string; width: number; height: number } | null;
  /** The first one is for browser tabs. */
  icons: readonly [BrandIcon, ...BrandIcon[]];
  touchIcon: string | null;
  /** The mark in the accent color, from which the touch icon is drawn; null if the touch icon is a file. */
  touchMark: string | null;
  /** The URL of the style sheet that sets the accent color; null for the default color. */
  stylesheet: string | null;
  /** For browsers that request /favicon.ico; null for the default one. */
  favicon: BrandFile | null;
  /** The files of the brand by the path under which they are served. */
  files: ReadonlyMap<string, BrandFile>;
};

const LOGO_TYPES = { svg: 'image/svg+xml', png: 'image/png', webp: 'image/webp' };
const LOGO_HEIGHT = 28;

const TOUCH_ICON_PATH = '/brand/touch-icon.png';
const TOUCH_ICON_PIXELS = 180;
/** Phones round the corners themselves, and show transparent ones in black. */
const ROUNDED = 'x="2" y="2" width="28" height="28" rx="8"';
const FULL = 'width="32" height="32"';

export function createBrand({ name, logo, accent, links }: SiteConfig): Brand {
  const files = new Map<string, BrandFile>();
  const add = (fileName: string, type: string, body: Buffer | string): string => {
    const path = `/brand/${fileName}`;
    files.set(path, { type, body: Buffer.from(body) });
    return withVersion(path, body);
  };
  const addLogo = ({ type, body }: SiteLogo) => add(`logo.${type}`, LOGO_TYPES[type], body);
  const logoHref = logo && addLogo(logo);
  const mark = accent && !logo ? add('icon.svg', LOGO_TYPES.svg, markIn(accent)) : null;
  const touchMark = accent && !logo ? markIn(accent).replace(ROUNDED, () => FULL) : null;
  const touchIcon = touchMark ? withVersion(TOUCH_ICON_PATH, touchMark) : touchFile(logo, logoHref);
  const icon: BrandIcon =
    logo && logoHref
      ? { href: logoHref, type: LOGO_TYPES[logo.type], sizes: sizesOf(logo) }
      : { href: mark ?? asset('icons/icon.svg'), type: LOGO_TYPES.svg, sizes: 'any' };
  return {
    name: name ?? PRODUCT_NAME,
    hasOwnName: name !== null,
    links,
    colors: { light: accent?.light.accent ?? DEFAULT_ACCENT, dark: accent?.dark.accent ?? '#a59dff' },
    logo: logo && logoHref ? { href: logoHref, ...shownSize(logo) } : null,
    icons:
      touchIcon === null || logo
        ? [icon]
        : [icon, { href: touchIcon, type: LOGO_TYPES.png, sizes: '180x180' }],
    touchIcon,
    touchMark,
    stylesheet: accent && add('accent.css', 'text/css; charset=utf-8', accentStyles(accent)),
    favicon: [...files.values()].find(({ type }) => type.startsWith('image/')) ?? null,
    files,
  };
}

function withVersion(path: string, body: Buffer | string): string {
  return `${path}?v=${hash('sha256', body, 'hex').slice(0, 10)}`;
}

/** Phones cannot use an SVG logo. */
function touchFile(logo: SiteLogo | null, logoHref: string | null): string | null {
  if (logo === null) return asset('icons/touch-icon.png');
  return logo.type === 'png' ? logoHref : null;
}

function sizesOf({ type, width, height }: SiteLogo): string {
  return type === 'svg' ? 'any' : `${width}x${height}`;
}

function shownSize({ width, height }: SiteLogo): { width: number; height: number } {
  return { width: Math.round((width / height) * LOGO_HEIGHT), height: LOGO_HEIGHT };
}

/** The mark of Votary, as SVG. */
export const MARK = readFileSync(join(PUBLIC_DIRECTORY, 'icons', 'icon.svg'));

function markIn(accent: AccentPalette): string {
  const mark = MARK.toString('utf8');
  return mark.replace(/fill="#[0-9a-f]{6}"/, () => `fill="${accent.light.accent}"`);
}

function accentStyles({ light, dark }: AccentPalette): string {
  const declare = (colors: AccentColors) =>
    Object.entries(colors)
      .map(([name, color]) => `--${name}:${color}`)
      .join(';');
  return `:root{${declare(light)}}\n@media (prefers-color-scheme:dark){:root{${declare(dark)}}}\n`;
}

/** An SVG image that is opened by itself is a document: it must not run scripts or load anything. */
export const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

export function brandRoutes(app: FastifyInstance): void {
  for (const [path, { type, body }] of app.brand.files) {
    app.get(path, (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', CACHED_FOR_A_YEAR)
        .header('content-security-policy', IMAGE_POLICY)
        .send(body),
    );
  }

  touchIconRoutes(app);

  app.get('/manifest.webmanifest', async (_request, reply) =>
    reply
      .type('application/manifest+json; charset=utf-8')
      .header('cache-control', CACHED_FOR_A_DAY)
      .send(JSON.stringify(manifest(app.brand))),
  );

  // Browsers request it at this path for responses that do not name an icon, such as JSON.
  app.get('/favicon.ico', (_request, reply) => {
    const { favicon } = app.brand;
    if (favicon === null) return sendIcon(reply, 'favicon.ico');
    return reply
      .type(favicon.type)
      .header('cache-control', CACHED_FOR_A_DAY)
      .header('content-security-policy', IMAGE_POLICY)
      .send(favicon.body);
  });
}

/** Phones request it at a fixed path for pages that do not name one. */
function touchIconRoutes(app: FastifyInstance): void {
  const { touchIcon, touchMark, files } = app.brand;
  let drawn: Promise<Buffer> | undefined;
  const sendDrawn = async (reply: FastifyReply, mark: string, caching: string) => {
    drawn ??= drawTouchIcon(mark);
    return reply
      .type(LOGO_TYPES.png)
      .header('cache-control', caching)
      .send(await drawn);
  };
  if (touchMark !== null) {
    // Drawn at start, because the files of the library may be replaced while the service runs.
    app.addHook('onListen', async () => {
      drawn ??= drawTouchIcon(touchMark);
      await drawn;
    });
    app.get(TOUCH_ICON_PATH, (_request, reply) => sendDrawn(reply, touchMark, CACHED_FOR_A_YEAR));
  }

  app.get('/apple-touch-icon.png', (_request, reply) => {
    if (touchIcon === null) return reply.callNotFound();
    if (touchMark !== null) return sendDrawn(reply, touchMark, CACHED_FOR_A_DAY);
    const logo = files.get('/brand/logo.png');
    if (logo === undefined) return sendIcon(reply, 'touch-icon.png');
    return reply.type(logo.type).header('cache-control', CACHED_FOR_A_DAY).send(logo.body);
  });
}

/** The library is loaded here, because most sites have no icon to draw. */
async function drawTouchIcon(mark: string): Promise<Buffer> {
  const { Resvg } = await import('@resvg/resvg-js');
  const drawing = new Resvg(mark, { fitTo: { mode: 'width', value: TOUCH_ICON_PIXELS } });
  return drawing.render().asPng();
}

function manifest({ name, icons }: Brand): object {
  return {
    name,
    start_url: '/',
    display: 'browser',
    theme_color: THEME_COLORS.light,
    background_color: THEME_COLORS.light,
    icons: icons.map(({ href, type, sizes }) => ({ src: href, type, sizes })),
  };
}
