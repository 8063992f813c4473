import type { Locale } from '../../domain/locale.ts';
import { signInAddress } from '../paths.ts';
import type { Person } from '../session.ts';
import { asset, styleBundle } from './assets.ts';
import { avatar } from './avatar.ts';
import { type Brand, PRODUCT_NAME, THEME_COLORS } from './brand.ts';
import { type Content, Html, html } from './html.ts';
import { layoutMessages, OPEN_GRAPH_LOCALES, otherLanguage } from './messages.ts';

/** What every page needs to know about its request. */
export type PageContext = {
  locale: Locale;
  person: Person | null;
  /** The path and query of this page, to return to after signing in or changing the language. */
  path: string;
  /** Proves that a form was sent from our own page. Empty while signed out. */
  csrfToken: string;
  /** Whether this page is the response to a form, instead of one that the browser was redirected to. */
  isFormResponse: boolean;
  /** Whether the navigation leads to the operator console. */
  isOperator: boolean;
  /** Forms that change something are omitted, because they would be rejected. */
  isReadOnly: boolean;
  isDemo: boolean;
  brand: Brand;
  /** The URL of the site, without a trailing slash. */
  origin: string;
};

export type Page = {
  title: string;
  /** For search engines and link previews. Error pages have none. */
  description?: string;
  /** The image that represents the page in link previews: 1200 by 630 pixels. */
  image?: { path: string; alt: string };
  main: Content;
  /** Optional scripts in site/public that enhance the page. */
  scripts?: string[];
  /** Classic scripts, not modules: they run before the visitor can use the page. */
  blockingScripts?: string[];
  styles?: string[];
  /** Full URLs of this page and of the adjacent ones, for search engines. */
  links?: { canonical: string; prev: string | null; next: string | null };
  /** Whether search engines may list it. Default: true. */
  isIndexed?: boolean;
  /** URLs of style sheets that are not in site/public. */
  extraStyles?: string[];
  /**
   * `narrow` for one card of text or a form, `wide` for a table or a dashboard. `reference` is for the API reference, which
   * has its own header and main element, and its own styles for everything below the header.
   */
  width?: 'narrow' | 'wide' | 'reference';
};

/** For pages with forms that change something. Pages of signed-in users always have one: the sign-out button. */
const FORM_SCRIPT = 'forms.js';

/** For pages that show times. */
const TIME_SCRIPT = 'times.js';

const FRAME_STYLES = ['theme.css', 'frame.css'];
const STYLES = [...FRAME_STYLES, 'base.css', 'components.css', 'avatars.css', 'forms.css'];

export function renderPage(context: PageContext, page: Page): string {
  const { locale, brand, isFormResponse, person } = context;
  const text = layoutMessages[locale];
  const main = html`${page.main}`;
  const scripts = new Set([
    ...(page.scripts ?? []),
    ...(isFormResponse || person ? [FORM_SCRIPT] : []),
    ...(main.text.includes('<time ') ? [TIME_SCRIPT] : []),
  ]);
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · ${brand.name}</title>
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${THEME_COLORS.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${THEME_COLORS.dark}">
${page.description !== undefined && preview(context, page, page.description)}
<link rel="icon" href="${brand.icons[0].href}" type="${brand.icons[0].type}">
${brand.touchIcon !== null && html`<link rel="apple-touch-icon" href="${brand.touchIcon}">`}
${page.isIndexed === false && html`<meta name="robots" content="noindex, follow">`}
${page.links && neighbors(page.links)}
<link rel="manifest" href="/manifest.webmanifest">
${stylesheets(page).map((href) => html`<link rel="stylesheet" href="${href}">\n`)}
${brand.stylesheet !== null && html`<link rel="stylesheet" href="${brand.stylesheet}">`}
${page.blockingScripts?.map((name) => html`<script src="${asset(name)}"></script>\n`)}
${[...scripts].map((name) => html`<script type="module" src="${asset(name)}"></script>\n`)}
</head>
<body>
<a class="skip" href="#main">${text.skip}</a>
${isFormResponse && html`<span hidden data-page-address="${context.path}"></span>`}
${context.isDemo && html`<aside class="demo-strip">${text.demo}</aside>`}
${page.width === 'reference' ? html`<section class="site-header" aria-label="${brand.name}">${headerBar(context)}</section>` : html`<header class="site-header">${headerBar(context)}</header>`}
${page.width === 'reference' ? html`<div id="main" class="reference">${main}</div>` : html`<main id="main" class="${page.width ?? 'narrow'}">${main}</main>`}
${footer(context)}
</body>
</html>`.text;
}

function neighbors({ canonical, prev, next }: NonNullable<Page['links']>): Html {
  return html`<link rel="canonical" href="${canonical}">
${prev !== null && html`<link rel="prev" href="${prev}">`}
${next !== null && html`<link rel="next" href="${next}">`}`;
}

function stylesheets({ width, styles = [], extraStyles = [] }: Page): string[] {
  const common = width === 'reference' ? FRAME_STYLES : STYLES;
  return [styleBundle([...common, ...styles]), ...extraStyles];
}

/** What chat programs and social networks show for a link. */
function preview({ locale, brand, origin, path }: PageContext, page: Page, description: string): Html {
  const { title, image, links } = page;
  // Without the parameters of vote links, which belong to one person.
  const url = links?.canonical ?? origin + path.replace(/\?.*/s, '');
  return html`<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${brand.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:locale" content="${OPEN_GRAPH_LOCALES[locale]}">
<meta property="og:url" content="${url}">
${image && imagePreview(origin, image)}
<meta name="twitter:card" content="${image ? 'summary_large_image' : 'summary'}">
<meta name="twitter:title" content="${title}">
<meta name="twitter:description" content="${description}">`;
}

function imagePreview(origin: string, { path, alt }: { path: string; alt: string }): Html {
  const url = origin + path;
  return html`<meta property="og:image" content="${url}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:image" content="${url}">`;
}

function headerBar(context: PageContext): Html {
  const text = layoutMessages[context.locale];
  const { locale, name } = otherLanguage[context.locale];
  return html`<div class="bar">
${brandLink(context.brand)}
<nav class="site-nav" aria-label="${text.navigation}">
${navLink(context, '/', text.communities)}
${navLink(context, '/dashboard', text.dashboard)}
${navLink(context, '/docs', text.docs)}
${context.isOperator && navLink(context, '/operator', text.operator)}
</nav>
<div class="account">
<a class="quiet" href="/locale?to=${locale}&amp;back=${encodeURIComponent(context.path)}" hreflang="${locale}" lang="${locale}">${name}</a>
${context.person ? signedIn(context.person, context) : html`<a class="button small" href="${signInAddress(context.path)}">${text.signIn}</a>`}
</div>
</div>`;
}

/** A wide logo already contains the name. */
function brandLink({ name, logo }: Brand): Html {
  if (logo === null) return html`<a class="brand" href="/">${LOGO}<span>${name}</span></a>`;
  const { href, width, height } = logo;
  const isWide = width > 2 * height;
  return html`<a class="brand" href="/"><img class="logo-image" src="${href}" width="${width}" height="${height}" alt="${isWide && name}">${!isWide && html`<span>${name}</span>`}</a>`;
}

/** The page about privacy, which every page links to. */
export const PRIVACY_PATH = '/privacy';

function footer({ locale, brand }: PageContext): Html {
  const text = layoutMessages[locale];
  const links = html`<nav class="site-links" aria-label="${text.footerLinks}">${brand.links.map(
    ({ label, url }) => html`<a href="${url}">${label}</a>\n`,
  )}</nav>`;
  // Not translated, so that the product is always named in the same way.
  const product = html`<span lang="en">Powered by ${PRODUCT_NAME}</span>`;
  return html`<footer class="site-footer">${brand.links.length > 0 && links}
<p>${brand.name} · ${brand.hasOwnName ? product : text.footer} · <a href="${PRIVACY_PATH}">${text.privacy}</a></p></footer>`;
}

function navLink({ path }: PageContext, href: string, name: string): Html {
  const isCurrent = href === '/' ? /^\/(?:\?|$)/.test(path) : path.startsWith(href);
  return html`<a href="${href}"${isCurrent && html` aria-current="page"`}>${name}</a>`;
}

function signedIn(person: Person, { locale, csrfToken }: PageContext): Html {
  return html`<span class="person">${avatar({ id: person.userId, name: person.name }, 'small')}<span class="person-name">${person.name}</span></span>
<form method="post" action="/sign-out">${csrfField(csrfToken)}<button class="quiet">${layoutMessages[locale].signOut}</button></form>`;
}

/** Part of every form that changes something. */
export function csrfField(token: string): Html {
  return html`<input type="hidden" name="_csrf" value="${token}">`;
}

const LOGO = new Html(
  '<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><rect class="logo-box" x="2" y="2" width="28" height="28" rx="8"/><path class="logo-tick" d="M9.5 16.5l4.6 4.6L23 12" fill="none" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);
