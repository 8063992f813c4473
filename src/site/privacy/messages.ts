import type { Locale } from '../../domain/locale.ts';

const en = {
  title: 'Privacy',
  lead: (site: string) => `What ${site} stores about you, for how long, and what you can do about it.`,
  what: 'What',
  kept: 'How long',
  rows: (keptDays: number | null): [what: string, kept: string][] => [
    [
      'Your votes: Discord user id, community, time, and the name in the vote link, such as your game name. Whether a vote was rewarded.',
      keptDays === null ? 'until the community is removed from this site' : `${keptDays} days`,
    ],
    [
      'A keyed hash of your network, with your vote. The address itself is never stored in the database.',
      '30 days at most',
    ],
    ['Which accounts voted from a network, to limit votes per network', 'one hour'],
    [
      'Your profile if you signed in: user id, name, picture hash, the day of the last sign-in, and whether your name may be shown',
      'one year after the last sign-in',
    ],
    ['Your session, in an encrypted cookie in your browser, and when you signed out', '7 days'],
    ['Reminders that you turned on', 'until you turn them off, or a year without a vote'],
    [
      'Roles in Discord that you have for voting',
      'until the role is removed, at the latest 30 days after it ended or after your last vote',
    ],
    ['Events about your votes that were sent to the programs of the community', '30 days'],
    ['What you did as an administrator of a community, or as an operator', 'one year; operators two years'],
    ['A ban from voting, with its reason', 'until 30 days after it ends'],
  ],
  logs: 'Server logs can contain your address, user id and the pages that you opened. The operator of this site decides how long they are kept.',
  sharing: 'Who gets it',
  sharingText:
    'A community gets the user id, the name in the vote link, the time and the totals of votes for it. Your name appears on public pages only if you agreed. Nothing is sold, and there is no advertising or tracking.',
  rights: 'Get or erase your data',
  rightsText:
    'Ask the operator of this site for a copy of what is stored about you, or to erase it. Give them your Discord user id. After an erasure your votes still count, under a random id that no longer leads to you, and a ban stays, as a hash.',
  contact: 'How to reach the operator of this site:',
};

const fr: typeof en = {
  title: 'Confidentialité',
  lead: (site) =>
    `Ce que ${site} conserve à votre sujet, pendant combien de temps, et ce que vous pouvez y faire.`,
  what: 'Données',
  kept: 'Durée',
  rows: (keptDays) => [
    [
      'Vos votes\u00A0: identifiant Discord, communauté, heure, et le nom dans le lien de vote, par exemple votre nom de joueur. Si un vote a été récompensé.',
      keptDays === null ? 'jusqu’au retrait de la communauté de ce site' : `${keptDays} jours`,
    ],
    [
      'Une empreinte de votre réseau, calculée avec une clé, avec votre vote. L’adresse elle-même n’est jamais enregistrée dans la base de données.',
      '30 jours au plus',
    ],
    ['Les comptes qui ont voté depuis un réseau, pour limiter les votes par réseau', 'une heure'],
    [
      'Votre profil si vous vous êtes connecté\u00A0: identifiant, nom, empreinte de l’image, jour de la dernière connexion, et si votre nom peut être affiché',
      'un an après la dernière connexion',
    ],
    ['Votre session, dans un cookie chiffré de votre navigateur, et l’heure de votre déconnexion', '7 jours'],
    ['Les rappels que vous avez activés', 'jusqu’à leur désactivation, ou un an sans vote'],
    [
      'Les rôles Discord que vous avez pour vos votes',
      'jusqu’au retrait du rôle, au plus tard 30 jours après sa fin ou après votre dernier vote',
    ],
    ['Les événements sur vos votes envoyés aux programmes de la communauté', '30 jours'],
    [
      'Ce que vous avez fait comme administrateur d’une communauté ou du site',
      'un an\u00A0; deux ans pour l’administration du site',
    ],
    ['Une exclusion des votes, avec son motif', 'jusqu’à 30 jours après sa fin'],
  ],
  logs: 'Les journaux du serveur peuvent contenir votre adresse, votre identifiant et les pages ouvertes. L’administration de ce site décide de leur durée de conservation.',
  sharing: 'Qui les reçoit',
  sharingText:
    'Une communauté reçoit l’identifiant, le nom dans le lien de vote, l’heure et les totaux des votes pour elle. Votre nom n’apparaît sur les pages publiques que si vous l’avez accepté. Rien n’est vendu, et il n’y a ni publicité ni pistage.',
  rights: 'Obtenir ou effacer vos données',
  rightsText:
    'Demandez à l’administration de ce site une copie de ce qui est conservé à votre sujet, ou son effacement. Donnez-lui votre identifiant Discord. Après un effacement, vos votes comptent toujours, sous un identifiant aléatoire qui ne mène plus à vous, et une exclusion demeure, sous forme d’empreinte.',
  contact: 'Pour joindre l’administration de ce site\u00A0:',
};

export const privacyMessages: Record<Locale, typeof en> = { en, fr };
