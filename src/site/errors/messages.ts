import type { Locale } from '../../domain/locale.ts';
import { en } from './en.ts';
import { fr } from './fr.ts';
import type { FaultText, PageFault } from './page-error.ts';

/** `retryAfterSeconds` adds when to try again, where that is known. */
type FaultTextOf = (fault: PageFault, retryAfterSeconds?: number) => FaultText;

export const faultMessages: Record<Locale, FaultTextOf> = {
  en: (fault, seconds) => {
    const wait = `Please try again in ${waitText('en', seconds)}.`;
    return { ...withWait(en[fault], seconds, wait), back: 'Back to communities', requestId: 'Request id:' };
  },
  fr: (fault, seconds) => {
    const wait = `Veuillez réessayer dans ${waitText('fr', seconds)}.`;
    return {
      ...withWait(fr[fault], seconds, wait),
      back: 'Retour aux communautés',
      requestId: 'Identifiant de la requête\u00A0:',
    };
  },
};

const UNITS = [
  { seconds: 86_400, en: ['day', 'days'], fr: ['jour', 'jours'] },
  { seconds: 3600, en: ['hour', 'hours'], fr: ['heure', 'heures'] },
  { seconds: 60, en: ['minute', 'minutes'], fr: ['minute', 'minutes'] },
  { seconds: 1, en: ['second', 'seconds'], fr: ['seconde', 'secondes'] },
] as const;

/** Uses the largest unit that gives at least two. */
function waitText(locale: Locale, seconds = 0): string {
  const unit = UNITS.find((known) => seconds >= 2 * known.seconds) ?? UNITS[3];
  const count = Math.ceil(seconds / unit.seconds);
  return `${count} ${unit[locale][count === 1 ? 0 : 1]}`;
}

function withWait<T extends { text: string }>(message: T, seconds: number | undefined, wait: string): T {
  return seconds === undefined ? message : { ...message, text: `${message.text} ${wait}` };
}
