import type { Locale } from '../../../domain/locale.ts';
import type { RoleProblem, VoterRule } from '../../../domain/votes/voter-role.ts';
import { type Html, html } from '../../layout/html.ts';

const en = {
  title: 'Voter role',
  lead: 'A role in your Discord server for members who vote. The Discord app of this site adds it, and removes it when a member no longer meets the rule.',
  unavailable:
    'This site has no Discord app that can change roles yet. You can save the setting; it applies as soon as the operator has configured the app.',
  rule: 'Who gets it',
  rules: {
    none: 'No voter role',
    recent: 'Members who voted in the last hours',
    month: 'Members who voted often enough this month (UTC)',
  } satisfies Record<VoterRule | 'none', string>,
  roleId: 'Role ID',
  roleIdHint:
    'In Discord, turn on User Settings → Advanced → Developer Mode, then right-click the role under Server Settings → Roles and choose Copy Role ID.',
  amount: 'Hours, or votes',
  amountHint: 'How many hours after a vote the role stays, or how many votes in a month it takes.',
  needs:
    'The app must be in your server with the permission “Manage Roles”, and its own role must be above the voter role in Server Settings → Roles.',
  problem: (when: Html) => html`Roles have not been changed since ${when}`,
  problems: {
    missing_permission:
      'Discord refused the change: the app lacks the permission “Manage Roles”, or its role is not above the voter role. In Discord, open Server Settings → Roles, turn on “Manage Roles” for the role of the app, and drag that role above the voter role. A role that belongs to an integration cannot be given to anybody.',
    not_in_server:
      'The app is not in your Discord server. Add it with the link of the operator of this site.',
    unknown_role: 'The role does not exist in your Discord server. Copy the ID of the role again.',
    rejected:
      'Discord refused the change for another reason, which is in the log of this site. Ask its operator.',
  } satisfies Record<RoleProblem, string>,
  retry: 'We try again every 30 minutes, and as soon as you save.',
};

const fr: typeof en = {
  title: 'Rôle des votants',
  lead: 'Un rôle dans votre serveur Discord pour les membres qui votent. L’application Discord de ce site l’attribue, et le retire quand un membre ne remplit plus la condition.',
  unavailable:
    'Ce site n’a pas encore d’application Discord qui puisse changer les rôles. Vous pouvez enregistrer le réglage\u00A0; il s’appliquera dès que l’administration du site aura configuré l’application.',
  rule: 'Qui le reçoit',
  rules: {
    none: 'Aucun rôle des votants',
    recent: 'Les membres qui ont voté dans les dernières heures',
    month: 'Les membres qui ont assez voté ce mois-ci (UTC)',
  },
  roleId: 'ID du rôle',
  roleIdHint:
    'Dans Discord, activez Paramètres utilisateur → Avancés → Mode développeur, puis faites un clic droit sur le rôle dans Paramètres du serveur → Rôles et choisissez Copier l’identifiant du rôle.',
  amount: 'Heures, ou votes',
  amountHint: 'Combien d’heures le rôle reste après un vote, ou combien de votes par mois il faut.',
  needs:
    'L’application doit être dans votre serveur avec la permission «\u00A0Gérer les rôles\u00A0», et son propre rôle doit être au-dessus du rôle des votants dans Paramètres du serveur → Rôles.',
  problem: (when) => html`Les rôles ne sont plus modifiés depuis ${when}`,
  problems: {
    missing_permission:
      'Discord refuse\u00A0: l’application n’a pas la permission «\u00A0Gérer les rôles\u00A0», ou son rôle n’est pas au-dessus du rôle des votants. Dans Discord, ouvrez Paramètres du serveur → Rôles, activez «\u00A0Gérer les rôles\u00A0» pour le rôle de l’application, et glissez ce rôle au-dessus du rôle des votants. Un rôle qui appartient à une intégration ne peut être donné à personne.',
    not_in_server:
      'L’application n’est pas dans votre serveur Discord. Ajoutez-la avec le lien fourni par l’administration de ce site.',
    unknown_role: 'Le rôle n’existe pas dans votre serveur Discord. Copiez de nouveau l’ID du rôle.',
    rejected:
      'Discord refuse pour une autre raison, indiquée dans le journal de ce site. Adressez-vous à son administration.',
  },
  retry: 'Nous réessayons toutes les 30 minutes, et dès que vous enregistrez.',
};

export const voterRoleSettingMessages: Record<Locale, typeof en> = { en, fr };
