import type { Locale } from '../domain/locale.ts';
import { type Html, html } from './layout/html.ts';

const en = {
  nameShown: (name: Html) => html`You appear as ${name} on leaderboards.`,
  nameHidden: 'You are anonymous on leaderboards.',
  showName: 'Show my name',
  hideName: 'Hide my name',
};

const fr: typeof en = {
  nameShown: (name) => html`Vous apparaissez sous le nom de ${name} dans les classements.`,
  nameHidden: 'Vous êtes anonyme dans les classements.',
  showName: 'Afficher mon nom',
  hideName: 'Masquer mon nom',
};

export const nameMessages: Record<Locale, typeof en> = { en, fr };
