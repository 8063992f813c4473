import type { Locale } from '../../domain/locale.ts';
import { IDEMPOTENCY_KEY } from '../idempotency-key.ts';
import type { ErrorCode, ErrorReason, V7ErrorCode, V7ErrorReason } from './api-error.ts';
import { manageMessages } from './manage-messages.ts';
import type { ValidationRule } from './validation-error.ts';

type V7Messages = { errors: Record<V7ErrorCode, string>; reasons: Record<V7ErrorReason, string> };

/** Every text the API returns. A missing message does not compile. */
type Messages = {
  errors: Record<ErrorCode, string>;
  reasons: Record<ErrorReason, string>;
} & CommonMessages;

type CommonMessages = {
  /** Completes the sentence that `fieldMessage` begins. */
  rules: Record<ValidationRule, (bound: number | undefined, field: string) => string>;
  fieldMessage: (field: string, rule: string) => string;
  /** The same for a field of a JSON body. */
  bodyFieldMessage: (field: string, rule: string) => string;
  /** A field of a JSON body that has another type. Parameters always are strings. */
  notString: string;
  missingVersion: (path: string) => string;
  /** In the API of top.gg, a 404 has a body. */
  topgg: { notFound: string; noVote: string };
};

/** What a parameter must look like, where it is not a Discord id. */
const EN_PATTERNS: Record<string, string> = {
  [IDEMPOTENCY_KEY]: 'must be 1 to 255 visible ASCII characters.',
  month: 'must be a month such as 2026-11.',
  name: 'must contain visible characters, and must not contain control characters.',
  reason: 'must contain visible characters, and must not contain control characters.',
  'sanction.reason': 'must contain visible characters, and must not contain control characters.',
  external_id: 'must not contain control characters or incomplete Unicode characters.',
  network_of: 'must be vote_ followed by 32 hexadecimal digits.',
  consumer: 'must be 1 to 32 lower-case letters (a-z), digits or hyphens.',
};

const en: V7Messages & CommonMessages = {
  errors: {
    API_NOT_SET:
      'No API key was sent. Copy your key from the dashboard (Developer & API) and send it as "Authorization: Bearer <API_KEY>".',
    INVALID_API_TOKEN:
      'This API key is not valid. It may be incomplete or may have been regenerated: copy the current key from the dashboard.',
    PREMIUM_REQUIRED:
      'This endpoint requires an active Premium subscription for this community. Activation can take up to one hour.',
    MISSING_IDENTIFIER: 'Specify the user: send either discord_id or external_id.',
    MULTIPLE_IDENTIFIERS: 'Send either discord_id or external_id, not both.',
    INVALID_DATE: 'A date is not valid. Use ISO 8601 in UTC, for example 2026-01-31T00:00:00.000Z.',
    INVALID_DATE_RANGE: 'The start of the period (from) must be earlier than its end (to).',
    DATE_RANGE_TOO_LARGE: 'The period must not be longer than 31 days. Split it into several requests.',
    INVALID_CURSOR:
      'This cursor is not valid here. Send next_cursor unchanged, to the same endpoint and with the same dates.',
    INVALID_USER_ID: 'The user id must be 15 to 20 digits.',
    INVALID_VOTE_ID: 'The vote id must be vote_ followed by 32 hexadecimal digits, as returned by a claim.',
    IDEMPOTENCY_MISMATCH:
      'This Idempotency-Key was used within the last 24 hours with different parameters. Use a new key for a new request.',
    TOO_MANY_CONSUMERS:
      'A community can have at most 10 consumers besides default, and this name would be another one. Use one of them, or remove one in the dashboard (Settings).',
    RATE_LIMITED: 'Too many requests. Wait for the number of seconds in retry_after, then try again.',
    METHOD_NOT_ALLOWED:
      'This URL does not support this method. The Allow header lists the supported methods.',
    HTTPS_REQUIRED: 'Plain HTTP is not accepted. Use the same URL with https://.',
    BAD_REQUEST: 'The request could not be understood. Check its syntax and headers.',
    REQUEST_TIMEOUT: 'The request did not arrive in time. Try again.',
    HEADERS_TOO_LARGE: 'The URL or the headers of the request are too long.',
    INTERNAL_ERROR: 'Something went wrong on our side. Try again in a moment.',
    SERVICE_UNAVAILABLE:
      'The service is temporarily unavailable. Wait for the number of seconds in retry_after, then try again.',
  },
  reasons: {
    placeholder:
      'A placeholder was sent instead of an API key. Copy your key from the dashboard (Developer & API) and replace the placeholder with it.',
    bearer_missing:
      'The Authorization header does not use the scheme Bearer. Put "Bearer" and a space before the key: "Authorization: Bearer <API_KEY>".',
    suspended:
      'This community was suspended by the operator of the site, so its API key is not accepted. Contact the operator.',
    premium_ended:
      'The Premium subscription of this community has ended. This endpoint works again when it is renewed.',
    default_from:
      'The period must end (to) after it starts. Without from, it starts at the beginning of the current month (UTC), or where the first page started: send from too.',
    default_to:
      'The period must start (from) before it ends. Without to, it ends now, or where the first page ended: send an earlier from, or to as well.',
    from_in_future: 'The start (from) must not be in the future.',
    listforge_object: 'The parameter object is missing: send object=votes, object=plugin or object=servers.',
    listforge_element:
      'The parameter element is missing: send element=claim with object=votes, element=reward with object=plugin, or element=voters with object=servers.',
    listforge_unknown:
      'There is no such request. Send object=votes&element=claim (with action=post to claim), action=custom&object=plugin&element=reward, or object=servers&element=voters.',
    listforge_name: 'The name of the player is missing: send username or steamid.',
    listforge_voters:
      'The list of voters is not available like this: month must be current or previous, format must be json, and limit must be a positive integer.',
    topgg_user_id: 'The parameter userId must be the Discord id of a user: 15 to 20 digits.',
    topgg_page: 'The parameter page must be a positive integer.',
    topgg_source: 'The parameter source must be discord or topgg.',
    topgg_start_date:
      'Send startDate, an ISO 8601 date of the last 366 days such as 2026-01-31T00:00:00.000Z, or the cursor of the previous page.',
    topgg_cursor: 'This cursor was not issued by this list. Send the cursor of the previous page unchanged.',
    feed_cursor:
      'This cursor was not issued by the feed of this community. Send next_cursor unchanged, without from; to start again, send from without a cursor.',
    feed_votes_missing:
      'The last votes before this cursor are not in the database any more, because it was restored from a backup, or because the community was removed and added again. So the feed cannot continue from this cursor. Start again with from, a time before the last vote you processed, and skip the votes (vote_id) that you processed already.',
  },
  rules: {
    encoding: () => 'must be percent-encoded UTF-8.',
    string: () => 'must be sent only once.',
    maxLength: (bound) => `must be at most ${bound} characters long.`,
    regex: (_bound, field) => EN_PATTERNS[field] ?? 'must be 15 to 20 digits.',
    integer: () => 'must be an integer.',
    min: (bound) => `must be at least ${bound}.`,
    max: (bound) => `must be at most ${bound}.`,
    maxItems: (bound) => `must not be sent more than ${bound} times.`,
    required: () => 'is required.',
    boolean: () => 'must be true or false.',
    object: () => 'must be an object.',
    enum: () => 'must be one of the documented values.',
    ip: () => 'must be an IPv4 or IPv6 address.',
  },
  fieldMessage: (field, rule) => `The parameter ${field} ${rule}`,
  bodyFieldMessage: (field, rule) => `The field ${field} ${rule}`,
  notString: 'must be a string.',
  topgg: {
    notFound: 'There is nothing at this path. The guide "Switching from top.gg" lists what is available.',
    noVote: 'This user has not voted within the last hour.',
  },
  missingVersion: (path) => `The version is missing from this path. Use ${path} instead.`,
};

const FR_PATTERNS: Record<string, string> = {
  [IDEMPOTENCY_KEY]: 'doit comporter de 1 à 255 caractères ASCII visibles.',
  month: 'doit être un mois, par exemple 2026-11.',
  name: 'doit contenir des caractères visibles, sans caractères de contrôle.',
  reason: 'doit contenir des caractères visibles, sans caractères de contrôle.',
  'sanction.reason': 'doit contenir des caractères visibles, sans caractères de contrôle.',
  external_id: 'ne doit contenir ni caractères de contrôle, ni caractères Unicode incomplets.',
  network_of: 'doit être vote_ suivi de 32 chiffres hexadécimaux.',
  consumer: 'doit comporter de 1 à 32 lettres minuscules (a-z), chiffres ou traits d’union.',
};

const fr: V7Messages & CommonMessages = {
  errors: {
    API_NOT_SET:
      'Aucune clé API n’a été envoyée. Copiez votre clé depuis le tableau de bord (Développeurs et API) et envoyez-la ainsi\u00A0: «\u00A0Authorization: Bearer <API_KEY>\u00A0».',
    INVALID_API_TOKEN:
      'Cette clé API n’est pas valide. Elle est peut-être incomplète ou a été régénérée\u00A0: copiez la clé actuelle depuis le tableau de bord.',
    PREMIUM_REQUIRED:
      'Cet endpoint est réservé aux communautés disposant d’un abonnement Premium actif. L’activation peut prendre jusqu’à une heure.',
    MISSING_IDENTIFIER: 'Précisez l’utilisateur\u00A0: envoyez discord_id ou external_id.',
    MULTIPLE_IDENTIFIERS: 'Envoyez discord_id ou external_id, mais pas les deux.',
    INVALID_DATE:
      'Une date n’est pas valide. Utilisez le format ISO 8601 en UTC, par exemple 2026-01-31T00:00:00.000Z.',
    INVALID_DATE_RANGE: 'Le début de la période (from) doit précéder sa fin (to).',
    DATE_RANGE_TOO_LARGE: 'La période ne peut pas dépasser 31 jours. Répartissez-la sur plusieurs requêtes.',
    INVALID_CURSOR:
      'Ce curseur n’est pas valable ici. Renvoyez next_cursor sans le modifier, au même endpoint et avec les mêmes dates.',
    INVALID_USER_ID: 'L’identifiant de l’utilisateur doit comporter de 15 à 20 chiffres.',
    INVALID_VOTE_ID:
      'L’identifiant du vote doit être vote_ suivi de 32 chiffres hexadécimaux, tel que l’API le renvoie lors de l’attribution d’une récompense.',
    IDEMPOTENCY_MISMATCH:
      'Cette Idempotency-Key a été utilisée dans les dernières 24 heures avec d’autres paramètres. Utilisez une nouvelle clé pour une nouvelle requête.',
    TOO_MANY_CONSUMERS:
      'Une communauté peut avoir au plus 10 consommateurs en plus de default, et ce nom en serait un de trop. Utilisez l’un d’eux ou retirez-en un dans le tableau de bord (Paramètres).',
    RATE_LIMITED: 'Trop de requêtes. Attendez le nombre de secondes indiqué par retry_after, puis réessayez.',
    METHOD_NOT_ALLOWED:
      'Cette URL n’accepte pas cette méthode. L’en-tête Allow indique les méthodes acceptées.',
    HTTPS_REQUIRED: 'Le HTTP non chiffré n’est pas accepté. Utilisez la même URL avec https://.',
    BAD_REQUEST: 'La requête n’a pas pu être comprise. Vérifiez sa syntaxe et ses en-têtes.',
    REQUEST_TIMEOUT: 'La requête n’est pas arrivée à temps. Réessayez.',
    HEADERS_TOO_LARGE: 'L’URL ou les en-têtes de la requête sont trop longs.',
    INTERNAL_ERROR: 'Une erreur s’est produite de notre côté. Réessayez dans un instant.',
    SERVICE_UNAVAILABLE:
      'Le service est momentanément indisponible. Attendez le nombre de secondes indiqué par retry_after, puis réessayez.',
  },
  reasons: {
    placeholder:
      'Un texte d’exemple a été envoyé à la place d’une clé API. Copiez votre clé depuis le tableau de bord (Développeurs et API) et remplacez ce texte.',
    bearer_missing:
      'L’en-tête Authorization n’utilise pas le schéma Bearer. Ajoutez «\u00A0Bearer\u00A0» et une espace devant la clé\u00A0: «\u00A0Authorization: Bearer <API_KEY>\u00A0».',
    suspended:
      'Cette communauté a été suspendue par l’exploitant du site\u00A0: sa clé API n’est plus acceptée. Contactez l’exploitant.',
    premium_ended:
      'L’abonnement Premium de cette communauté a pris fin. Cet endpoint fonctionnera à nouveau dès son renouvellement.',
    default_from:
      'La période doit se terminer (to) après son début. Sans from, elle commence au début du mois en cours (UTC), ou au début de celle de la première page\u00A0: envoyez aussi from.',
    default_to:
      'La période doit commencer (from) avant sa fin. Sans to, elle se termine maintenant, ou à la fin de celle de la première page\u00A0: envoyez un from antérieur, ou ajoutez to.',
    from_in_future: 'Le début (from) ne doit pas être dans le futur.',
    listforge_object:
      'Le paramètre object manque\u00A0: envoyez object=votes, object=plugin ou object=servers.',
    listforge_element:
      'Le paramètre element manque\u00A0: envoyez element=claim avec object=votes, element=reward avec object=plugin ou element=voters avec object=servers.',
    listforge_unknown:
      'Cette requête n’existe pas. Envoyez object=votes&element=claim (avec action=post pour réclamer le vote), action=custom&object=plugin&element=reward ou object=servers&element=voters.',
    listforge_name: 'Le nom du joueur manque\u00A0: envoyez username ou steamid.',
    listforge_voters:
      'La liste des votants n’est pas disponible ainsi\u00A0: month doit être current ou previous, format doit être json et limit un entier positif.',
    topgg_user_id:
      'Le paramètre userId doit être l’identifiant Discord d’un utilisateur\u00A0: de 15 à 20 chiffres.',
    topgg_page: 'Le paramètre page doit être un nombre entier positif.',
    topgg_source: 'Le paramètre source doit être discord ou topgg.',
    topgg_start_date:
      'Envoyez startDate, une date ISO 8601 des 366 derniers jours, par exemple 2026-01-31T00:00:00.000Z, ou le cursor de la page précédente.',
    topgg_cursor:
      'Ce curseur ne provient pas de cette liste. Renvoyez celui de la page précédente sans le modifier.',
    feed_cursor:
      'Ce curseur ne provient pas du flux de cette communauté. Renvoyez next_cursor sans le modifier et sans from\u00A0; pour repartir, envoyez from sans curseur.',
    feed_votes_missing:
      'Les derniers votes précédant ce curseur ne sont plus dans la base de données, car elle a été restaurée à partir d’une sauvegarde, ou la communauté a été supprimée puis ajoutée à nouveau\u00A0: le flux ne peut pas continuer à cet endroit. Repartez avec from, une date antérieure au dernier vote traité, et ignorez les votes (vote_id) déjà traités.',
  },
  rules: {
    encoding: () => 'doit être encodé en UTF-8 avec l’encodage-pourcent.',
    string: () => 'ne doit être envoyé qu’une seule fois.',
    maxLength: (bound) => `ne doit pas dépasser ${bound} caractères.`,
    regex: (_bound, field) => FR_PATTERNS[field] ?? 'doit comporter de 15 à 20 chiffres.',
    integer: () => 'doit être un nombre entier.',
    min: (bound) => `doit être supérieur ou égal à ${bound}.`,
    max: (bound) => `doit être inférieur ou égal à ${bound}.`,
    maxItems: (bound) => `ne doit pas être envoyé plus de ${bound} fois.`,
    required: () => 'est obligatoire.',
    boolean: () => 'doit être true ou false.',
    object: () => 'doit être un objet.',
    enum: () => 'doit être l’une des valeurs documentées.',
    ip: () => 'doit être une adresse IPv4 ou IPv6.',
  },
  fieldMessage: (field, rule) => `Le paramètre ${field} ${rule}`,
  bodyFieldMessage: (field, rule) => `Le champ ${field} ${rule}`,
  notString: 'doit être une chaîne de caractères.',
  topgg: {
    notFound:
      'Il n’y a rien à ce chemin. Le guide «\u00A0Migrer depuis top.gg\u00A0» indique ce qui est disponible.',
    noVote: 'Cet utilisateur n’a pas voté au cours de la dernière heure.',
  },
  missingVersion: (path) => `Il manque la version dans ce chemin. Utilisez plutôt ${path}.`,
};

function withManage(messages: V7Messages & CommonMessages, locale: Locale): Messages {
  const { errors, reasons } = manageMessages[locale];
  return {
    ...messages,
    errors: { ...messages.errors, ...errors },
    reasons: { ...messages.reasons, ...reasons },
  };
}

export const apiMessages: Record<Locale, Messages> = { en: withManage(en, 'en'), fr: withManage(fr, 'fr') };
