import type { Locale } from '../locale.ts';

/** Why an attempt failed without a usable response. Stored as a code, shown in the reader's language. */
const en = {
  CONNECTION_REFUSED: 'the connection was refused; is the receiver running?',
  CONNECTION_CLOSED: 'the connection was closed before a response arrived',
  HOST_NOT_FOUND: 'the host name does not exist',
  HOST_NOT_RESOLVED: 'the host name could not be resolved',
  DNS_TIMEOUT: 'the host name could not be resolved within 2 seconds',
  HOST_UNREACHABLE: 'the host is unreachable',
  NETWORK_UNREACHABLE: 'the network is unreachable',
  CONNECTION_TIMEOUT: 'the host did not respond',
  NO_RESPONSE: 'no response within 15 seconds',
  NOT_TLS: 'the receiver does not speak TLS on this port; check the port in the URL',
  NOT_HTTP: 'the response is not HTTP; check the port in the URL',
  CERTIFICATE_SELF_SIGNED: 'the certificate is self-signed',
  CERTIFICATE_UNTRUSTED:
    'the certificate is not signed by a known authority; is the intermediate certificate missing?',
  CERTIFICATE_EXPIRED: 'the certificate has expired',
  CERTIFICATE_WRONG_HOST: 'the certificate is for another host name',
  PRIVATE_ADDRESS:
    'the address is in a private or reserved network that the operator does not permit (VOTARY_WEBHOOK_ALLOW)',
  FORBIDDEN_PORT: 'webhooks use port 443 or a port above 1023',
  REDIRECT: 'redirects are not followed; use the URL it points to',
  SECRET_UNREADABLE:
    'the secret was encrypted with another VOTARY_SECRET; rotate it, or enter the channel URL or the token again',
  DISCORD_RATE_LIMITED: 'Discord limits how many messages a channel gets; the message is sent later',
  DISCORD_NO_WEBHOOK: 'Discord does not know this webhook: it was deleted, or its URL is wrong',
  DISCORD_REJECTED: 'Discord rejected the message',
  TOPGG_NO_RESPONSE: 'no response within 5 seconds, the limit of the top.gg formats',
  TOPGG_SECRET_REJECTED:
    'the receiver rejected the secret; compare it with the one in the settings of the receiver, then resend the vote',
  TOPGG_REJECTED: 'the receiver rejected the vote; as with top.gg, a status from 400 to 499 is not retried',
  NOT_VOTIFIER: 'the server does not speak Votifier; check the port',
  VOTIFIER_SILENT: 'connected, but the server did not greet as a Votifier server does; check the port',
  VOTIFIER_V1: 'the server only speaks version 1 of Votifier; install NuVotifier',
  VOTIFIER_WRONG_TOKEN: 'the server rejected the token; compare it with the config.yml of NuVotifier',
  VOTIFIER_UNKNOWN_SERVICE: 'the server has no token for this service name and no default token',
  VOTIFIER_REJECTED: 'the server rejected the vote',
  NAME_MISSING: 'skipped: the vote has no player name; use vote links with external_id',
  NAME_TOO_LONG: 'skipped: the name is longer than 16 characters',
  NAME_NOT_MINECRAFT: 'skipped: the name is not a Minecraft name (3 to 16 letters, digits or underscores)',
  ALREADY_CLAIMED: 'skipped: the consumer of this endpoint has already claimed the vote, or it was voided',
  TOO_MANY_CONSUMERS: 'the community has too many consumers; remove one in the settings',
  ANSWER_LOST:
    'the vote was sent, but no answer arrived; it may have counted, so it is not sent again automatically',
};

export type FailureCode = keyof typeof en;

const fr: typeof en = {
  CONNECTION_REFUSED: 'la connexion a été refusée\u00A0; le récepteur est-il démarré\u00A0?',
  CONNECTION_CLOSED: 'la connexion a été fermée avant la réponse',
  HOST_NOT_FOUND: 'le nom d’hôte n’existe pas',
  HOST_NOT_RESOLVED: 'le nom d’hôte n’a pas pu être résolu',
  DNS_TIMEOUT: 'le nom d’hôte n’a pas pu être résolu en 2 secondes',
  HOST_UNREACHABLE: 'l’hôte est injoignable',
  NETWORK_UNREACHABLE: 'le réseau est injoignable',
  CONNECTION_TIMEOUT: 'l’hôte ne répond pas',
  NO_RESPONSE: 'pas de réponse en 15 secondes',
  NOT_TLS: 'le récepteur ne parle pas TLS sur ce port\u00A0; vérifiez le port de l’URL',
  NOT_HTTP: 'la réponse n’est pas du HTTP\u00A0; vérifiez le port de l’URL',
  CERTIFICATE_SELF_SIGNED: 'le certificat est auto-signé',
  CERTIFICATE_UNTRUSTED:
    'le certificat n’est pas signé par une autorité reconnue\u00A0; manque-t-il le certificat intermédiaire\u00A0?',
  CERTIFICATE_EXPIRED: 'le certificat a expiré',
  CERTIFICATE_WRONG_HOST: 'le certificat est établi pour un autre nom d’hôte',
  PRIVATE_ADDRESS:
    'l’adresse appartient à un réseau privé ou réservé que l’administration du site n’autorise pas (VOTARY_WEBHOOK_ALLOW)',
  FORBIDDEN_PORT: 'les webhooks utilisent le port 443 ou un port supérieur à 1023',
  REDIRECT: 'les redirections ne sont pas suivies\u00A0; utilisez l’URL de destination',
  SECRET_UNREADABLE:
    'le secret a été chiffré avec un autre VOTARY_SECRET\u00A0; renouvelez-le, ou saisissez de nouveau l’URL du salon ou le jeton',
  DISCORD_RATE_LIMITED:
    'Discord limite le nombre de messages par salon\u00A0; le message sera envoyé plus tard',
  DISCORD_NO_WEBHOOK: 'Discord ne connaît pas ce webhook\u00A0: il a été supprimé, ou son URL est fausse',
  DISCORD_REJECTED: 'Discord a refusé le message',
  TOPGG_NO_RESPONSE: 'pas de réponse en 5 secondes, la limite des formats top.gg',
  TOPGG_SECRET_REJECTED:
    'le récepteur a refusé le secret\u00A0; comparez-le à celui des paramètres du récepteur, puis renvoyez le vote',
  TOPGG_REJECTED:
    'le récepteur a refusé le vote\u00A0; comme avec top.gg, un statut de 400 à 499 n’est pas retenté',
  NOT_VOTIFIER: 'le serveur ne parle pas Votifier\u00A0; vérifiez le port',
  VOTIFIER_SILENT:
    'la connexion est établie, mais le serveur ne s’annonce pas comme un serveur Votifier\u00A0; vérifiez le port',
  VOTIFIER_V1: 'le serveur ne parle que la version 1 de Votifier\u00A0; installez NuVotifier',
  VOTIFIER_WRONG_TOKEN: 'le serveur a refusé le jeton\u00A0; comparez-le au fichier config.yml de NuVotifier',
  VOTIFIER_UNKNOWN_SERVICE: 'le serveur n’a ni jeton pour ce nom de service, ni jeton par défaut',
  VOTIFIER_REJECTED: 'le serveur a refusé le vote',
  NAME_MISSING: 'ignoré\u00A0: le vote n’a pas de pseudo\u00A0; utilisez des liens de vote avec external_id',
  NAME_TOO_LONG: 'ignoré\u00A0: le pseudo dépasse 16 caractères',
  ALREADY_CLAIMED:
    'ignoré\u00A0: le consommateur de cet endpoint a déjà réclamé ce vote, ou le vote a été annulé',
  TOO_MANY_CONSUMERS: 'la communauté a trop de consommateurs\u00A0; retirez-en un dans les paramètres',
  NAME_NOT_MINECRAFT:
    'ignoré\u00A0: le nom n’est pas un pseudo Minecraft (3 à 16 lettres, chiffres ou tirets bas)',
  ANSWER_LOST:
    'le vote a été envoyé, mais aucune réponse n’est arrivée\u00A0; il a peut-être compté et n’est donc pas renvoyé automatiquement',
};

export const failureMessages: Record<Locale, typeof en> = { en, fr };
