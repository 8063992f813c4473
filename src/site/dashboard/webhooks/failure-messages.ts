import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../layout/html.ts';

/** The log keeps why a try failed in English words. These are the same words in French. */
const FRENCH = new Map([
  [
    'the connection was refused; is the receiver running?',
    'la connexion a été refusée\u00A0; le récepteur est-il démarré\u00A0?',
  ],
  [
    'the connection was closed before an answer came',
    'la connexion a été fermée avant qu’une réponse n’arrive',
  ],
  ['the host name is not known', 'le nom d’hôte est inconnu'],
  ['the host name could not be resolved', 'le nom d’hôte n’a pas pu être résolu'],
  [
    'the host name could not be resolved within 2 seconds',
    'le nom d’hôte n’a pas pu être résolu en 2 secondes',
  ],
  ['the host cannot be reached', 'l’hôte ne peut pas être atteint'],
  ['the network cannot be reached', 'le réseau ne peut pas être atteint'],
  ['the host does not answer', 'l’hôte ne répond pas'],
  ['the certificate is self-signed', 'le certificat est auto-signé'],
  ['the certificate has expired', 'le certificat a expiré'],
  ['the certificate is for another host name', 'le certificat est établi pour un autre nom d’hôte'],
  ['the address leads into a private or reserved network', 'l’adresse mène à un réseau privé ou réservé'],
  [
    'webhooks use port 443, or a port above 1023',
    'les webhooks utilisent le port 443 ou un port supérieur à 1023',
  ],
  ['no answer within 15 seconds', 'pas de réponse en 15 secondes'],
  [
    'redirects are not followed; set the address it leads to',
    'les redirections ne sont pas suivies\u00A0; indiquez l’adresse à laquelle celle-ci mène',
  ],
  [
    'the signing secret was stored under another VOTARY_SECRET; rotate it',
    'le secret de signature a été enregistré sous un autre VOTARY_SECRET\u00A0; renouvelez-le',
  ],
]);

/** What has no translation, such as a rare fault of TLS, is shown as it is, and marked as English. */
export function failureText(error: string, locale: Locale): Html {
  if (locale === 'en') return html`${error}`;
  const translated = FRENCH.get(error);
  return translated === undefined ? html`<span lang="en">${error}</span>` : html`${translated}`;
}
