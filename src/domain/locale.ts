import Negotiator from 'negotiator';

export const LOCALES = ['en', 'fr'] as const;

export type Locale = (typeof LOCALES)[number];

export const DEFAULT_LOCALE: Locale = 'en';

/** The language hints of a request. Empty values count as absent. */
export type LocaleHints = {
  /** The `locale` parameter. Case-sensitive, like all parameters of the contract. */
  parameter?: string | undefined;
  xLocale?: string | undefined;
  acceptLanguage?: string | undefined;
};

/** The first hint that is present decides, even if its language is not supported: then English is used. */
export function chooseLocale(hints: LocaleHints): Locale {
  return preferredLocale(hints) ?? DEFAULT_LOCALE;
}

function preferredLocale(hints: LocaleHints): Locale | undefined {
  if (hints.parameter) return fromTag(hints.parameter);
  if (hints.xLocale) return fromTag(hints.xLocale.trim().toLowerCase());
  if (hints.acceptLanguage) return fromAcceptLanguage(hints.acceptLanguage);
  return undefined;
}

/** `fr-CA` and `fr_CA` are French. */
function fromTag(tag: string): Locale | undefined {
  const language = tag.split(/[-_]/, 1)[0];
  return LOCALES.find((locale) => locale === language);
}

/** Browsers send less than two hundred characters, and parsing time grows with the length. */
const MAX_HEADER_LENGTH = 500;

/** Truncates a header list at a comma, because half an entry could mean something else. */
export function limitHeaderList(header: string): string {
  if (header.length <= MAX_HEADER_LENGTH) return header;
  return header.slice(0, Math.max(0, header.lastIndexOf(',', MAX_HEADER_LENGTH)));
}

/**
 * The preferred supported language. Tags are checked in the caller's order, because the negotiator itself prefers an
 * exact `en` over an equally weighted `fr-CA`.
 */
function fromAcceptLanguage(header: string): Locale | undefined {
  const tags = new Negotiator({ headers: { 'accept-language': limitHeaderList(header) } }).languages();
  for (const tag of tags) {
    const locale = tag === '*' ? DEFAULT_LOCALE : fromTag(tag.toLowerCase());
    if (locale) return locale;
  }
  return undefined;
}
