import type { Locale } from '../../../domain/locale.ts';

const en = {
  playerName: 'Player name',
  playerNameHint:
    'How a claim by player name finds a vote, through the API and ListForge plugins. Vote checks always compare names exactly.',
  rules: {
    exact: { name: 'Exact', hint: 'Steve finds Steve only. ListForge plugins always ignore case.' },
    'ignore-case': { name: 'Ignore case', hint: 'Steve, STEVE and steve are the same player.' },
    minecraft: {
      name: 'Minecraft',
      hint: 'Case is ignored, and so is one character in front of the name that marks Bedrock players: . * ~ + ! -',
    },
  },
  listforgeConsumer: 'Consumer of ListForge plugins',
  listforgeConsumerHint:
    'Plugins that use the ListForge protocol claim as this consumer. 1 to 32 lower-case letters, digits or hyphens; default if nothing else claims votes for the same players.',
  consumers: 'Consumers',
  consumersHint:
    'Each consumer can claim a vote once, so that a bot and several game servers each reward it. A consumer appears here with its first claim; default is always there. At most 10. A program that gets another name, also instead of default, can claim recent votes again.',
  none: 'No consumer other than default has claimed yet.',
  lastUsed: 'Last used',
  remove: 'Remove',
  removeHint:
    'Removing a consumer makes room for another one. Its claims stay: if the name is used again, votes that it has claimed are not rewarded a second time.',
};

const fr: typeof en = {
  playerName: 'Nom du joueur',
  playerNameHint:
    'Comment une réclamation par nom de joueur trouve un vote, avec l’API et les plugins ListForge. Les vérifications de vote comparent toujours les noms exactement.',
  rules: {
    exact: {
      name: 'Exact',
      hint: 'Steve ne trouve que Steve. Les plugins ListForge ignorent la casse dans tous les cas.',
    },
    'ignore-case': {
      name: 'Sans tenir compte de la casse',
      hint: 'Steve, STEVE et steve sont le même joueur.',
    },
    minecraft: {
      name: 'Minecraft',
      hint: 'La casse est ignorée, ainsi qu’un caractère placé devant le nom des joueurs Bedrock\u00A0: . * ~ + ! -',
    },
  },
  listforgeConsumer: 'Consommateur des plugins ListForge',
  listforgeConsumerHint:
    'Les plugins qui utilisent le protocole ListForge réclament au nom de ce consommateur. De 1 à 32 lettres minuscules, chiffres ou traits d’union\u00A0; default si rien d’autre ne réclame de votes pour les mêmes joueurs.',
  consumers: 'Consommateurs',
  consumersHint:
    'Chaque consommateur peut réclamer un vote une fois\u00A0: un bot et plusieurs serveurs de jeu peuvent donc chacun le récompenser. Un consommateur apparaît ici dès sa première réclamation\u00A0; default existe toujours. Au plus 10. Un programme qui change de nom, même à partir de default, peut réclamer à nouveau les votes récents.',
  none: 'Aucun consommateur autre que default n’a encore réclamé de vote.',
  lastUsed: 'Dernière utilisation',
  remove: 'Retirer',
  removeHint:
    'Retirer un consommateur libère une place. Ses réclamations restent\u00A0: si son nom est utilisé à nouveau, les votes qu’il a réclamés ne sont pas récompensés une seconde fois.',
};

export const claimsMessages: Record<Locale, typeof en> = { en, fr };
