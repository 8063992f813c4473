/** Texts about the kinds of endpoints. */
import type { Locale } from '../../../domain/locale.ts';
import type { EndpointKind } from '../../../domain/webhooks/destination.ts';
import { TEMPLATE_MAX_LENGTH } from '../../../domain/webhooks/discord.ts';
import type { TopggFormat } from '../../../domain/webhooks/topgg.ts';
import type { DestinationFault } from '../../../store/webhooks/admin.ts';

const en = {
  legend: 'Where to send votes',
  kinds: {
    https: { name: 'Webhook', hint: 'Signed events for your bot or website.', add: 'Add endpoint' },
    topgg: { name: 'top.gg format', hint: 'For receivers written for top.gg.', add: 'Add receiver' },
    discord: { name: 'Discord channel', hint: 'A message in a channel for every vote.', add: 'Add channel' },
    votifier: { name: 'Minecraft server', hint: 'Votes for NuVotifier.', add: 'Add server' },
  } satisfies Record<EndpointKind, { name: string; hint: string; add: string }>,
  format: 'Version',
  formats: {
    'topgg-v0': {
      name: 'v0',
      hint: 'Legacy webhooks, with the secret in Authorization. @top-gg/sdk 3, topggpy 1.',
    },
    'topgg-v1': {
      name: 'v1',
      hint: 'Webhooks signed with a secret that starts with whs_. @top-gg/sdk 4, topggpy 2.',
    },
  } satisfies Record<TopggFormat, { name: string; hint: string }>,
  topggSecret: 'Secret (optional)',
  topggSecretHint:
    'Enter the one your receiver has, or leave it empty to generate a new one, which you can reveal afterwards. It is stored encrypted.',
  keepSecret: 'Leave it empty to keep the current secret.',
  topggRules: [
    'Only votes are sent. Tests look like those of top.gg.',
    'Retries are those of top.gg: only after 5 seconds without a response or after a server error, ten times (v0) or three times (v1).',
    'The name that players vote under is in the query, as external_id.',
  ],
  topggGuide: 'Switching from top.gg',
  /** Shown instead of the choice when the old secret expires. */
  topggRotation:
    'The old secret stops working immediately. Votes that your receiver rejects until you update it are not retried: pause the endpoint before, and resume it afterwards.',
  testTopgg: 'Send test',
  testTopggHint: 'The receiver gets a test by the user 200000000000000001.',
  channelUrl: 'Channel webhook URL',
  channelUrlHint:
    'In Discord: Edit Channel, Integrations, Webhooks, New Webhook, Copy Webhook URL. The URL is stored encrypted and not shown again.',
  keepUrl: 'Leave it empty to keep the current channel.',
  language: 'Message language',
  languages: { en: 'English', fr: 'Français' } satisfies Record<Locale, string>,
  templates: 'Customize messages',
  templatesHint: `Leave a message empty to use the default. Discord Markdown is supported, and mentions notify nobody. Up to ${TEMPLATE_MAX_LENGTH} characters.`,
  fields: 'Fields:',
  address: 'Server address',
  addressHint:
    'Host and port of NuVotifier, such as mc.example.org:8192. The port must be reachable from the internet.',
  token: 'Token',
  tokenHint: 'From plugins/NuVotifier/config.yml, under tokens. It is stored encrypted and not shown again.',
  keepToken: 'Leave it empty to keep the current token.',
  serviceName: 'Service name (optional)',
  serviceNameHint: 'What vote plugins call this site in their settings. Default: the host name of this site.',
  consumer: 'Consumer (optional)',
  consumerHint:
    'Votes that are delivered are claimed as this consumer, such as survival, and those that it has claimed already are not delivered. So a vote is rewarded once if a plugin claims as the same consumer. Empty: votes are delivered and not claimed.',
  nameRules: [
    'Only votes with a player name are sent: use custom vote links.',
    'A name has 3 to 16 letters, digits or underscores. Names of Bedrock players can start with a prefix such as a dot.',
    'Other votes count here, but are skipped for the server; the log says why.',
  ],
  /** Shown in place of the signing secret. */
  tokenKept: 'The token is stored encrypted and not shown. To replace it, edit the endpoint.',
  tokenUnreadable:
    'Nothing can be sent, because the token was encrypted with a different master secret. Edit the endpoint and enter it again.',
  testVote: 'Send test vote',
  testVoteHint: 'The server receives a vote by the player Votary_Test.',
  serviceShown: 'Service name',
  consumerShown: 'Claims as',
  editHint: 'Pending events are sent to the new target; those of a type you deselect are deleted.',
  gone: 'Discord no longer recognizes this webhook. Create a new one in Discord, then edit the endpoint.',
  faults: {
    'discord-url':
      'This is the webhook of a Discord channel. Add it as a channel, so that it receives messages people can read.',
    'not-discord':
      'This is not the webhook URL of a Discord channel. It looks like https://discord.com/api/webhooks/… and is copied from the settings of the channel.',
    'bad-template': `A message is longer than ${TEMPLATE_MAX_LENGTH} characters, or contains a field in braces that its event does not have.`,
    'bad-address': 'This is not a valid server address. Enter host and port, such as mc.example.org:8192.',
    'bad-token': 'Enter the token as it is in the config.yml of NuVotifier, without spaces.',
    'bad-secret': 'The secret can have up to 256 letters, digits, spaces and other ASCII characters.',
    'bad-service-name':
      'The service name can have up to 64 letters, digits, spaces, dots, hyphens and underscores, and starts with a letter or digit.',
    'bad-consumer': 'A consumer has 1 to 32 lower-case letters (a-z), digits or hyphens.',
  } satisfies Record<DestinationFault, string>,
};

const fr: typeof en = {
  legend: 'Où envoyer les votes',
  kinds: {
    https: {
      name: 'Webhook',
      hint: 'Des événements signés pour votre bot ou votre site.',
      add: 'Ajouter l’endpoint',
    },
    topgg: {
      name: 'Format top.gg',
      hint: 'Pour les récepteurs écrits pour top.gg.',
      add: 'Ajouter le récepteur',
    },
    discord: {
      name: 'Salon Discord',
      hint: 'Un message dans un salon pour chaque vote.',
      add: 'Ajouter le salon',
    },
    votifier: { name: 'Serveur Minecraft', hint: 'Des votes pour NuVotifier.', add: 'Ajouter le serveur' },
  },
  format: 'Version',
  formats: {
    'topgg-v0': {
      name: 'v0',
      hint: 'Anciens webhooks, avec le secret dans Authorization. @top-gg/sdk 3, topggpy 1.',
    },
    'topgg-v1': {
      name: 'v1',
      hint: 'Webhooks signés avec un secret qui commence par whs_. @top-gg/sdk 4, topggpy 2.',
    },
  },
  topggSecret: 'Secret (facultatif)',
  topggSecretHint:
    'Saisissez celui de votre récepteur, ou laissez vide pour en générer un, que vous pourrez ensuite afficher. Il est chiffré.',
  keepSecret: 'Laissez vide pour garder le secret actuel.',
  topggRules: [
    'Seuls les votes sont envoyés. Les tests sont au format de ceux de top.gg.',
    'Les nouvelles tentatives sont celles de top.gg\u00A0: seulement après 5 secondes sans réponse ou une erreur du serveur, dix fois (v0) ou trois fois (v1).',
    'Le pseudo sous lequel les joueurs votent se trouve dans query, sous le nom external_id.',
  ],
  topggGuide: 'Migrer depuis top.gg',
  topggRotation:
    'L’ancien secret cesse immédiatement d’être valable. Les votes que votre récepteur refuse tant que vous ne l’avez pas mis à jour ne sont pas renvoyés\u00A0: mettez d’abord l’endpoint en pause, puis reprenez.',
  testTopgg: 'Envoyer un test',
  testTopggHint: 'Le récepteur reçoit un test de l’utilisateur 200000000000000001.',
  channelUrl: 'URL du webhook du salon',
  channelUrlHint:
    'Dans Discord\u00A0: Modifier le salon, Intégrations, Webhooks, Nouveau webhook, Copier l’URL du webhook. L’URL est chiffrée et ne sera plus affichée.',
  keepUrl: 'Laissez vide pour garder le salon actuel.',
  language: 'Langue des messages',
  languages: { en: 'English', fr: 'Français' },
  templates: 'Personnaliser les messages',
  templatesHint: `Laissez un message vide pour utiliser celui par défaut. Le Markdown de Discord est pris en charge\u00A0; les mentions ne notifient personne. ${TEMPLATE_MAX_LENGTH} caractères au maximum.`,
  fields: 'Champs\u00A0:',
  address: 'Adresse du serveur',
  addressHint:
    'Hôte et port de NuVotifier, par exemple mc.example.org:8192. Le port doit être accessible depuis Internet.',
  token: 'Jeton',
  tokenHint: 'Dans plugins/NuVotifier/config.yml, sous tokens. Il est chiffré et ne sera plus affiché.',
  keepToken: 'Laissez vide pour garder le jeton actuel.',
  serviceName: 'Nom de service (facultatif)',
  serviceNameHint:
    'Le nom de ce site dans les paramètres des plugins de vote. Par défaut\u00A0: le nom d’hôte de ce site.',
  consumer: 'Consommateur (facultatif)',
  consumerHint:
    'Les votes transmis sont réclamés au nom de ce consommateur, par exemple survival, et ceux qu’il a déjà réclamés ne sont pas transmis. Un vote n’est donc récompensé qu’une fois si un plugin réclame au nom du même consommateur. Vide\u00A0: les votes sont transmis sans être réclamés.',
  nameRules: [
    'Seuls les votes avec un pseudo sont envoyés\u00A0: utilisez des liens de vote personnalisés.',
    'Un pseudo comporte de 3 à 16 lettres, chiffres ou tirets bas. Ceux des joueurs Bedrock peuvent commencer par un préfixe, par exemple un point.',
    'Les autres votes comptent ici, mais ne sont pas envoyés au serveur\u00A0; le journal indique pourquoi.',
  ],
  tokenKept: 'Le jeton est chiffré et n’est pas affiché. Pour le remplacer, modifiez l’endpoint.',
  tokenUnreadable:
    'Rien ne peut être envoyé, car le jeton a été chiffré avec un autre secret principal. Modifiez l’endpoint et saisissez-le de nouveau.',
  testVote: 'Envoyer un vote de test',
  testVoteHint: 'Le serveur reçoit un vote du joueur Votary_Test.',
  serviceShown: 'Nom de service',
  consumerShown: 'Réclame en tant que',
  editHint:
    'Les événements en attente sont envoyés à la nouvelle destination\u00A0; ceux d’un type que vous désélectionnez sont supprimés.',
  gone: 'Discord ne connaît plus ce webhook. Créez-en un nouveau dans Discord et modifiez l’endpoint.',
  faults: {
    'discord-url':
      'C’est le webhook d’un salon Discord. Ajoutez-le comme salon, pour qu’il reçoive des messages lisibles.',
    'not-discord':
      'Ce n’est pas l’URL du webhook d’un salon Discord. Elle ressemble à https://discord.com/api/webhooks/… et se copie depuis les paramètres du salon.',
    'bad-template': `Un message dépasse ${TEMPLATE_MAX_LENGTH} caractères, ou contient un champ entre accolades que son événement n’a pas.`,
    'bad-address':
      'Ce n’est pas l’adresse d’un serveur. Saisissez l’hôte et le port, par exemple mc.example.org:8192.',
    'bad-token': 'Saisissez le jeton tel qu’il figure dans le config.yml de NuVotifier, sans espaces.',
    'bad-secret':
      'Le secret comporte jusqu’à 256 lettres sans accent, chiffres, espaces et autres caractères ASCII.',
    'bad-service-name':
      'Le nom de service comporte jusqu’à 64 lettres, chiffres, espaces, points, traits d’union et tirets bas, et commence par une lettre ou un chiffre.',
    'bad-consumer':
      'Un consommateur comporte de 1 à 32 lettres minuscules (a-z), chiffres ou traits d’union.',
  },
};

export const destinationMessages: Record<Locale, typeof en> = { en, fr };
