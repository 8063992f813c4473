import {
  MAX_ABOUT_LENGTH,
  MAX_DESCRIPTION_LENGTH,
  MAX_LINKS,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  MIN_TAG_LENGTH,
  type ProfileFault,
  type ProfileInput,
} from '../../../domain/guild.ts';
import type { Locale } from '../../../domain/locale.ts';

const en = {
  title: 'Community profile',
  lead: 'What visitors see on your public page and in the listing.',
  /** Shown in the settings of a community without a description. */
  none: 'Tell visitors what your community is about: add a description, tags, a language and an invite.',
  edit: 'Edit profile',
  view: 'View public page',
  back: 'Back to settings',
  fields: {
    description: {
      name: 'Description',
      hint: `Plain text, up to ${MAX_DESCRIPTION_LENGTH} characters. Links belong in the invite field.`,
    },
    about: {
      name: 'About',
      hint: `What your community is about, its rules and its events: plain text, up to ${MAX_ABOUT_LENGTH} characters.`,
    },
    tags: {
      name: 'Tags',
      hint: `Up to ${MAX_TAGS}, separated by commas, such as: minecraft, role-play.`,
    },
    language: { name: 'Language', hint: 'The main language of your community.' },
    invite: {
      name: 'Discord invite',
      hint: 'https://discord.gg/… Choose an invite that never expires.',
    },
    links: {
      name: 'Links',
      hint: `Your website, shop or social networks: up to ${MAX_LINKS}, one per line.`,
    },
  } satisfies Record<keyof ProfileInput, { name: string; hint: string }>,
  noLanguage: 'Not specified',
  icon: 'The name and the icon come from Discord. They are updated when an admin signs in.',
  preview: 'Preview',
  previewHint: 'This is how your public page begins.',
  unsaved: 'This is a preview. Nothing has been saved yet.',
  showPreview: 'Preview',
  save: 'Save profile',
  wrong: 'The profile was not saved. Correct the marked fields.',
  faults: {
    'description-too-long': `Use at most ${MAX_DESCRIPTION_LENGTH} characters.`,
    'description-link':
      'Links are not allowed in the description. Put your Discord link in the invite field. A server address such as play.example.org is fine.',
    'too-many-tags': `Use at most ${MAX_TAGS} tags.`,
    'bad-tag': `Tags consist of letters, digits and hyphens, and are ${MIN_TAG_LENGTH} to ${MAX_TAG_LENGTH} characters long.`,
    'bad-language': 'Choose a language from the list.',
    'bad-invite': 'Use a link of the form https://discord.gg/CODE or https://discord.com/invite/CODE.',
    'about-too-long': `Use at most ${MAX_ABOUT_LENGTH} characters.`,
    'too-many-links': `Use at most ${MAX_LINKS} links.`,
    'bad-link': 'Use complete links that start with https://, one per line.',
  } satisfies Record<ProfileFault, string>,
  /** Stands for an empty value in the activity log. */
  empty: 'empty',
  listing: {
    title: 'Public listing',
    listed: 'Your community is in the public listing.',
    sanctioned: 'Your community is not in the public listing while it is sanctioned.',
    hidden:
      'Your community is not in the public listing. Anyone with a link can still open its page and vote.',
    unlisted:
      'The operator of this site has removed your community from the public listing. Its page, its vote link and the API work as before.',
    hide: 'Remove from the listing',
    show: 'Show in the listing',
  },
};

const fr: typeof en = {
  title: 'Profil de la communauté',
  lead: 'Ce que les visiteurs voient sur votre page publique et dans la liste.',
  none: 'Présentez votre communauté aux visiteurs\u00A0: ajoutez une description, des tags, une langue et une invitation.',
  edit: 'Modifier le profil',
  view: 'Voir la page publique',
  back: 'Retour aux paramètres',
  fields: {
    description: {
      name: 'Description',
      hint: `Texte brut, ${MAX_DESCRIPTION_LENGTH} caractères au maximum. Les liens vont dans le champ d’invitation.`,
    },
    about: {
      name: 'À propos',
      hint: `Votre communauté, ses règles et ses événements\u00A0: texte brut, ${MAX_ABOUT_LENGTH} caractères au maximum.`,
    },
    tags: {
      name: 'Tags',
      hint: `${MAX_TAGS} au maximum, séparés par des virgules, par exemple\u00A0: minecraft, jeu-de-rôle.`,
    },
    language: { name: 'Langue', hint: 'La langue principale de votre communauté.' },
    invite: {
      name: 'Invitation Discord',
      hint: 'https://discord.gg/… Choisissez une invitation qui n’expire jamais.',
    },
    links: {
      name: 'Liens',
      hint: `Votre site, votre boutique ou vos réseaux sociaux\u00A0: ${MAX_LINKS} au maximum, un par ligne.`,
    },
  },
  noLanguage: 'Non précisée',
  icon: 'Le nom et l’icône viennent de Discord. Ils sont mis à jour lorsqu’un administrateur se connecte.',
  preview: 'Aperçu',
  previewHint: 'Le début de votre page publique.',
  unsaved: 'Ceci est un aperçu. Rien n’est encore enregistré.',
  showPreview: 'Aperçu',
  save: 'Enregistrer le profil',
  wrong: 'Le profil n’a pas été enregistré. Corrigez les champs signalés.',
  faults: {
    'description-too-long': `${MAX_DESCRIPTION_LENGTH} caractères au maximum.`,
    'description-link':
      'Les liens ne sont pas autorisés dans la description. Mettez votre lien Discord dans le champ d’invitation. Une adresse de serveur comme play.example.org est acceptée.',
    'too-many-tags': `${MAX_TAGS} tags au maximum.`,
    'bad-tag': `Un tag se compose de lettres, de chiffres et de traits d’union, et comporte de ${MIN_TAG_LENGTH} à ${MAX_TAG_LENGTH} caractères.`,
    'bad-language': 'Choisissez une langue dans la liste.',
    'bad-invite': 'Utilisez un lien de la forme https://discord.gg/CODE ou https://discord.com/invite/CODE.',
    'about-too-long': `${MAX_ABOUT_LENGTH} caractères au maximum.`,
    'too-many-links': `${MAX_LINKS} liens au maximum.`,
    'bad-link': 'Indiquez des liens complets commençant par https://, un par ligne.',
  },
  empty: 'vide',
  listing: {
    title: 'Liste publique',
    listed: 'Votre communauté figure dans la liste publique.',
    sanctioned: 'Votre communauté ne figure pas dans la liste publique tant qu’elle est sanctionnée.',
    hidden:
      'Votre communauté ne figure pas dans la liste publique. Toute personne qui a le lien peut toujours ouvrir sa page et voter.',
    unlisted:
      'L’administration de ce site a retiré votre communauté de la liste publique. Sa page, son lien de vote et l’API fonctionnent comme avant.',
    hide: 'Retirer de la liste',
    show: 'Afficher dans la liste',
  },
};

export const profileFormMessages: Record<Locale, typeof en> = { en, fr };
