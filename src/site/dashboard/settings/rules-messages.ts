import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../layout/html.ts';

const en = {
  title: 'Who can vote',
  lead: 'These rules apply in addition to the rules of this site. They take effect immediately.',
  age: 'Minimum age of a Discord account, in days',
  ageHint: 'Leave 0 to use the site’s minimum. Voters with a newer account are told when they can vote.',
  members: {
    name: 'Members only',
    hint: 'Only members of your Discord server can vote. Voters are asked for permission to read their list of servers.',
  },
  signed: {
    name: 'Signed links only',
    hint: 'Votes are accepted only through links that your game server or website has signed. The standard vote link stops working.',
  },
  /** For the activity log. */
  summary: { age: (days: number) => `accounts at least ${days} days old`, none: 'no rules' },
  links: {
    title: 'Signed vote links',
    lead: 'A signed link proves that your game server or website created it, for one player name and until a time you choose. The secret that signs it must stay on your server.',
    none: 'No secret has been created yet.',
    create: 'Create secret',
    label: 'Secret for vote links',
    reveal: 'Reveal secret',
    hide: 'Hide',
    copy: 'Copy secret',
    rotate: 'Rotate secret',
    rotateHint:
      'After a rotation, links signed with the old secret stay valid for 7 days, or until you revoke it.',
    previous: (until: Html) => html`The previous secret is valid until ${until}.`,
    revoke: 'Revoke previous secret',
    unreadable:
      'This secret cannot be shown, because it was encrypted with a different master secret. Rotate it.',
    guide: 'How to sign links in JavaScript, PHP, Python and Java',
  },
};

const fr: typeof en = {
  title: 'Qui peut voter',
  lead: 'Ces règles s’ajoutent à celles du site. Elles s’appliquent immédiatement.',
  age: 'Âge minimal d’un compte Discord, en jours',
  ageHint:
    'Laissez 0 pour appliquer le minimum du site. Les votants dont le compte est plus récent sont informés de la date à partir de laquelle ils pourront voter.',
  members: {
    name: 'Membres uniquement',
    hint: 'Seuls les membres de votre serveur Discord peuvent voter. Les votants doivent autoriser la lecture de la liste de leurs serveurs.',
  },
  signed: {
    name: 'Liens signés uniquement',
    hint: 'Seuls les votes passant par un lien signé par votre serveur de jeu ou votre site sont acceptés. Le lien de vote standard ne fonctionne plus.',
  },
  summary: { age: (days) => `comptes d’au moins ${days} jours`, none: 'aucune règle' },
  links: {
    title: 'Liens de vote signés',
    lead: 'Un lien signé prouve qu’il a été créé par votre serveur de jeu ou votre site, pour un pseudo et jusqu’à une heure que vous choisissez. Le secret qui le signe doit rester sur votre serveur.',
    none: 'Aucun secret n’a encore été créé.',
    create: 'Créer un secret',
    label: 'Secret des liens de vote',
    reveal: 'Afficher le secret',
    hide: 'Masquer',
    copy: 'Copier le secret',
    rotate: 'Renouveler le secret',
    rotateHint:
      'Après un renouvellement, les liens signés avec l’ancien secret restent valables 7 jours, ou jusqu’à ce que vous le révoquiez.',
    previous: (until) => html`Le secret précédent est valable jusqu’au ${until}.`,
    revoke: 'Révoquer le secret précédent',
    unreadable:
      'Ce secret a été chiffré avec un autre secret principal et ne peut pas être affiché. Renouvelez-le.',
    guide: 'Comment signer des liens en JavaScript, PHP, Python et Java',
  },
};

export const rulesMessages: Record<Locale, typeof en> = { en, fr };
