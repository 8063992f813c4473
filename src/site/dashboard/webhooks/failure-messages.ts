import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../layout/html.ts';

/** The log stores the reason for a failed attempt in English. This is its French translation. */
const FRENCH = new Map([
  [
    'the connection was refused; is the receiver running?',
    'la connexion a été refusée\u00A0; le récepteur est-il démarré\u00A0?',
  ],
  ['the connection was closed before a response arrived', 'la connexion a été fermée avant la réponse'],
  ['the host name does not exist', 'le nom d’hôte n’existe pas'],
  ['the host name could not be resolved', 'le nom d’hôte n’a pas pu être résolu'],
  [
    'the host name could not be resolved within 2 seconds',
    'le nom d’hôte n’a pas pu être résolu en 2 secondes',
  ],
  ['the host is unreachable', 'l’hôte est injoignable'],
  ['the network is unreachable', 'le réseau est injoignable'],
  ['the host did not respond', 'l’hôte ne répond pas'],
  ['the certificate is self-signed', 'le certificat est auto-signé'],
  ['the certificate has expired', 'le certificat a expiré'],
  ['the certificate is for another host name', 'le certificat est établi pour un autre nom d’hôte'],
  ['the address is in a private or reserved network', 'l’adresse appartient à un réseau privé ou réservé'],
  [
    'webhooks use port 443 or a port above 1023',
    'les webhooks utilisent le port 443 ou un port supérieur à 1023',
  ],
  ['no response within 15 seconds', 'pas de réponse en 15 secondes'],
  [
    'redirects are not followed; use the URL it points to',
    'les redirections ne sont pas suivies\u00A0; utilisez l’URL de destination',
  ],
  [
    'the signing secret was encrypted with another VOTARY_SECRET; rotate it',
    'le secret de signature a été chiffré avec un autre VOTARY_SECRET\u00A0; renouvelez-le',
  ],
]);

/** Reasons without a translation, such as rare TLS errors, are shown in English and marked as such. */
export function failureText(error: string, locale: Locale): Html {
  if (locale === 'en') return html`${error}`;
  const translated = FRENCH.get(error);
  return translated === undefined ? html`<span lang="en">${error}</span>` : html`${translated}`;
}
