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
  if (hints.parameter) return fromTag(hints.parameter);
  if (hints.xLocale) return fromTag(hints.xLocale.trim().toLowerCase());
  if (hints.acceptLanguage) return fromAcceptLanguage(hints.acceptLanguage);
  return DEFAULT_LOCALE;
}

/** `fr-CA` and `fr_CA` are French. */
function fromTag(tag: string): Locale {
  const language = tag.split(/[-_]/, 1)[0];
  return LOCALES.find((locale) => locale === language) ?? DEFAULT_LOCALE;
}

function fromAcceptLanguage(header: string): Locale {
  const negotiator = new Negotiator({ headers: { 'accept-language': header } });
  const chosen = negotiator.language([...LOCALES]);
  return LOCALES.find((locale) => locale === chosen) ?? DEFAULT_LOCALE;
}
