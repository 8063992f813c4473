/** The texts of errors that only the management API returns. */
import type { Locale } from '../../domain/locale.ts';
import type { ManageErrorCode, ManageErrorReason } from './api-error.ts';

type ManageMessages = {
  errors: Record<ManageErrorCode, string>;
  reasons: Record<ManageErrorReason, string>;
};

const en: ManageMessages = {
  errors: {
    INVALID_TOKEN:
      'This token is not valid. It may be incomplete: create a new one in the operator console or with votary token create.',
    MISSING_SCOPE:
      'This token does not have the scope that the request needs. The field scope names it; create a token that has it.',
    GUILD_NOT_FOUND: 'There is no community with this guild_id.',
    GUILD_EXISTS: 'There is already a community with this guild_id. Nothing was changed.',
    ALREADY_VOTED:
      'This user has voted for this community within the last hour. The next vote is possible at next_vote_at.',
    NOT_ELIGIBLE: 'This user cannot vote for this community. The field reason says why.',
    MAINTENANCE:
      'Votes are not accepted right now, because the service is being maintained. Try again after the number of seconds in retry_after.',
    BAN_NOT_FOUND: 'This user is not banned.',
    BATCH_NOT_FOUND: 'There is no batch of voided votes with this id.',
    VOTE_NOT_FOUND: 'This community has no vote with the id in network_of.',
    USER_NOT_FOUND: 'Nothing is stored about this user.',
    CONFIRMATION_REQUIRED:
      'Deleting a community also deletes all its votes. Repeat its id in the parameter confirm.',
    BODY_TOO_LARGE: 'The body of the request is larger than 16 KiB.',
    IDEMPOTENCY_IN_PROGRESS:
      'A request with this Idempotency-Key is still being processed. Try again in a few seconds.',
  },
  reasons: {
    token_missing:
      'No token was sent. Create one in the operator console or with votary token create, and send it as "Authorization: Bearer vto_…".',
    token_is_key:
      'This is the API key of a community. The management API needs a token of the operator, which starts with vto_.',
    token_expired: 'This token has expired. Create a new one.',
    token_revoked: 'This token was revoked. Create a new one.',
    being_removed:
      'The community with this guild_id is still being removed. Try again when all of its votes are deleted.',
    json_malformed: 'The body of the request is not valid JSON.',
    json_expected: 'The body of the request must be JSON. Send it with Content-Type: application/json.',
    json_object: 'The body of the request must be a JSON object.',
    ban_over: 'The end of the ban (until) must be in the future.',
    void_selection: 'Say which votes: send user_id, external_id, mark or network_of.',
    void_selections: 'Send only one of user_id, external_id, mark and network_of.',
    network_unknown: 'The network of the vote in network_of is not known any more: it is kept for 30 days.',
  },
};

const fr: ManageMessages = {
  errors: {
    INVALID_TOKEN:
      'Ce jeton n’est pas valide. Il est peut-être incomplet\u00A0: créez-en un autre dans la console d’administration ou avec votary token create.',
    MISSING_SCOPE:
      'Ce jeton n’a pas l’autorisation que demande cette requête. Le champ scope l’indique\u00A0: créez un jeton qui l’a.',
    GUILD_NOT_FOUND: 'Aucune communauté n’a ce guild_id.',
    GUILD_EXISTS: 'Une communauté a déjà ce guild_id. Rien n’a été modifié.',
    ALREADY_VOTED:
      'Cet utilisateur a voté pour cette communauté au cours de la dernière heure. Le prochain vote sera possible à next_vote_at.',
    NOT_ELIGIBLE:
      'Cet utilisateur ne peut pas voter pour cette communauté. Le champ reason indique pourquoi.',
    MAINTENANCE:
      'Les votes ne sont pas acceptés pour le moment, car le service est en maintenance. Réessayez après le nombre de secondes indiqué par retry_after.',
    BAN_NOT_FOUND: 'Cet utilisateur n’est pas exclu.',
    BATCH_NOT_FOUND: 'Aucun lot de votes annulés n’a cet identifiant.',
    VOTE_NOT_FOUND: 'Cette communauté n’a aucun vote avec l’identifiant de network_of.',
    USER_NOT_FOUND: 'Rien n’est enregistré sur cet utilisateur.',
    CONFIRMATION_REQUIRED:
      'Supprimer une communauté supprime aussi tous ses votes. Répétez son identifiant dans le paramètre confirm.',
    BODY_TOO_LARGE: 'Le corps de la requête dépasse 16\u00A0Kio.',
    IDEMPOTENCY_IN_PROGRESS:
      'Une requête avec cette Idempotency-Key est encore en cours de traitement. Réessayez dans quelques secondes.',
  },
  reasons: {
    token_missing:
      'Aucun jeton n’a été envoyé. Créez-en un dans la console d’administration ou avec votary token create, et envoyez-le ainsi\u00A0: «\u00A0Authorization: Bearer vto_…\u00A0».',
    token_is_key:
      'Ceci est la clé API d’une communauté. L’API de gestion demande un jeton d’administration, qui commence par vto_.',
    token_expired: 'Ce jeton a expiré. Créez-en un autre.',
    token_revoked: 'Ce jeton a été révoqué. Créez-en un autre.',
    being_removed:
      'La communauté qui a ce guild_id est encore en cours de suppression. Réessayez quand tous ses votes seront supprimés.',
    json_malformed: 'Le corps de la requête n’est pas du JSON valide.',
    json_expected:
      'Le corps de la requête doit être du JSON. Envoyez-le avec Content-Type\u00A0: application/json.',
    json_object: 'Le corps de la requête doit être un objet JSON.',
    ban_over: 'La fin de l’exclusion (until) doit être dans le futur.',
    void_selection: 'Précisez les votes\u00A0: envoyez user_id, external_id, mark ou network_of.',
    void_selections: 'N’envoyez qu’un seul des champs user_id, external_id, mark et network_of.',
    network_unknown:
      'Le réseau du vote de network_of n’est plus connu\u00A0: il est conservé pendant 30 jours.',
  },
};

export const manageMessages: Record<Locale, ManageMessages> = { en, fr };
