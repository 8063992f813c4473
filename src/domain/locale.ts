import Negotiator from 'negotiator';

export const LOCALES = ['en', 'fr'] as const;

export type Locale = (typeof LOCALES)[number];

export const DEFAULT_LOCALE: Locale = 'en';

/** Everything a request can say about its language. Empty values count as not given. */
export type LocaleHints = {
  /** The `locale` parameter. Case-sensitive, as all parameters of the contract are. */
  parameter?: string | undefined;
  xLocale?: string | undefined;
  acceptLanguage?: string | undefined;
};

/** The first hint that is present decides, even when we do not speak its language: then it is English. */
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

/** Browsers send less than two hundred characters, and parsing takes time that grows with the length. */
const MAX_HEADER_LENGTH = 500;

/** Cuts a list in a header to a sensible length, at a comma: half an entry could say something else. */
export function limitHeaderList(header: string): string {
  if (header.length <= MAX_HEADER_LENGTH) return header;
  return header.slice(0, Math.max(0, header.lastIndexOf(',', MAX_HEADER_LENGTH)));
}

/**
 * The most wanted language that we speak. The tags are walked in the caller's order, because the negotiator's
 * own match puts an exact `en` before an equally wanted `fr-CA`.
 */
function fromAcceptLanguage(header: string): Locale | undefined {
  const tags = new Negotiator({ headers: { 'accept-language': limitHeaderList(header) } }).languages();
  for (const tag of tags) {
    const locale = tag === '*' ? DEFAULT_LOCALE : fromTag(tag.toLowerCase());
    if (locale) return locale;
  }
  return undefined;
}
