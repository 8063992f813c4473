import type { Locale } from '../../../domain/locale.ts';

const en = {
  title: 'API key',
  lead: 'Your bot, website or game server uses this key to authenticate as your community. Every administrator can see it.',
  generate: 'Generate my API key',
  none: 'No API key yet.',
  keyLabel: 'API key:',
  masked: (lastFour: string) => `hidden, ending in ${lastFour}`,
  unreadable:
    'This key still works but cannot be shown, because it was encrypted with a different master secret. Regenerate it, or ask the operator to restore the previous master secret.',
  reveal: 'Reveal',
  hide: 'Hide',
  copyKey: 'Copy key',
  regenerate: 'Regenerate…',
  madeOn: 'Generated on',
  secret: 'Keep it secret. Never put it in web pages, public repositories, screenshots or videos.',
  shownHint: 'Revealing or copying the key is recorded in the activity log. Keep it secret.',
  claim: 'Reward a vote',
  claimLead:
    'A claim takes the oldest unclaimed vote of a member. Each vote can be claimed only once, so if the response says claimed, grant the reward. It also works hours after the vote.',
  claimTry: 'Try it with your own vote:',
  votePage: 'vote for your community',
  claimRun: ', then run one of these.',
  choosePlatform: 'Platform',
  language: 'Language of the example',
  platformNames: {
    'discord-bot': 'Discord bot',
    minecraft: 'Minecraft',
    php: 'PHP or Azuriom',
    python: 'Python',
    other: 'Other',
  },
  platformHints: {
    'discord-bot': '',
    minecraft:
      'In your plugin, claim by player name: external_id instead of discord_id. Run the Java example with: java Claim.java',
    php: 'On your website, claim by the name of the member: external_id instead of discord_id.',
    python: '',
    other: '',
  },
  settings: 'Continue with the guide',
  settingsLead:
    'Each guide is a complete program. These are its settings, with the values of your community.',
  copySettings: 'Copy the settings',
  check: 'Check a vote',
  checkLead:
    'The result stays true for the whole hour, so it cannot tell whether a vote was rewarded: claim votes to grant rewards.',
  copyCheck: 'Copy the check',
  platforms: 'Continue on your platform',
  platformsLead: 'Each guide is a complete program that rewards every vote once, even after a crash.',
  clients: 'Download a client library',
  tryItLastVoter: 'Checks whether the member who voted last did so within the past hour.',
  tryItSample: 'Replace the Discord id in this command with the id of a member.',
  tryItPlaceholder: 'Reveal your key to fill it in here, or replace YOUR_API_KEY yourself.',
  copyExample: (language: string) => `Copy the ${language} example`,
  copyFailed: 'The key could not be copied. Reveal it instead.',
  selfSigned:
    'This site runs on your machine with a self-signed certificate, so the examples do not verify it. For Node.js, set NODE_TLS_REJECT_UNAUTHORIZED=0 while you test. Java rejects it: use curl.',
  docs: 'Read the API documentation',
  confirm: {
    title: 'Regenerate the API key?',
    warning: 'The old key stops working immediately.',
    consequence:
      'Every bot, website and game server that uses it gets INVALID_API_TOKEN until you update it. This cannot be undone.',
    confirm: 'Regenerate now',
    cancel: 'Keep the old key',
  },
};

const fr: typeof en = {
  title: 'Clé API',
  lead: 'Votre bot, votre site ou votre serveur de jeu s’authentifie avec cette clé au nom de votre communauté. Tous les administrateurs peuvent la voir.',
  generate: 'Générer ma clé API',
  none: 'Aucune clé API pour l’instant.',
  keyLabel: 'Clé API\u00A0:',
  masked: (lastFour) => `masquée, se termine par ${lastFour}`,
  unreadable:
    'Cette clé fonctionne toujours mais ne peut pas être affichée, car elle a été chiffrée avec un autre secret principal. Régénérez-la, ou demandez à l’administration du site de rétablir l’ancien secret principal.',
  reveal: 'Afficher',
  hide: 'Masquer',
  copyKey: 'Copier la clé',
  regenerate: 'Régénérer…',
  madeOn: 'Générée le',
  secret:
    'Gardez-la secrète. Ne la mettez jamais dans une page web, un dépôt public, une capture d’écran ou une vidéo.',
  shownHint: 'L’affichage et la copie sont consignés dans le journal d’activité. Gardez la clé secrète.',
  claim: 'Récompenser un vote',
  claimLead:
    'Une réclamation (claim) prend le plus ancien vote non réclamé d’un membre. Chaque vote ne peut être réclamé qu’une fois\u00A0: si la réponse indique claimed, accordez la récompense. Cela fonctionne aussi des heures après le vote.',
  claimTry: 'Essayez avec votre propre vote\u00A0:',
  votePage: 'votez pour votre communauté',
  claimRun: ', puis lancez l’un de ces exemples.',
  choosePlatform: 'Plateforme',
  language: 'Langage de l’exemple',
  platformNames: {
    'discord-bot': 'Bot Discord',
    minecraft: 'Minecraft',
    php: 'PHP ou Azuriom',
    python: 'Python',
    other: 'Autre',
  },
  platformHints: {
    'discord-bot': '',
    minecraft:
      'Dans votre plugin, réclamez par nom de joueur\u00A0: external_id au lieu de discord_id. Lancez l’exemple Java avec\u00A0: java Claim.java',
    php: 'Sur votre site, réclamez par nom de membre\u00A0: external_id au lieu de discord_id.',
    python: '',
    other: '',
  },
  settings: 'Continuer avec le guide',
  settingsLead:
    'Chaque guide est un programme complet. Voici ses réglages, avec les valeurs de votre communauté.',
  copySettings: 'Copier les réglages',
  check: 'Vérifier un vote',
  checkLead:
    'Le résultat reste vrai pendant toute l’heure\u00A0: il ne dit pas si un vote a été récompensé. Pour récompenser, réclamez les votes.',
  copyCheck: 'Copier la vérification',
  platforms: 'Continuer sur votre plateforme',
  platformsLead:
    'Chaque guide est un programme complet qui récompense chaque vote une seule fois, même après une panne.',
  clients: 'Télécharger une bibliothèque cliente',
  tryItLastVoter: 'Vérifie si le dernier membre à avoir voté l’a fait dans l’heure écoulée.',
  tryItSample: 'Remplacez l’identifiant Discord de cette commande par celui d’un membre.',
  tryItPlaceholder: 'Affichez votre clé pour l’insérer ici, ou remplacez vous-même YOUR_API_KEY.',
  copyExample: (language) => `Copier l’exemple ${language}`,
  copyFailed: 'La clé n’a pas pu être copiée. Affichez-la plutôt.',
  selfSigned:
    'Ce site fonctionne sur votre machine avec un certificat auto-signé, que les exemples ne vérifient donc pas. Pour Node.js, définissez NODE_TLS_REJECT_UNAUTHORIZED=0 pendant vos essais. Java le refuse\u00A0: utilisez curl.',
  docs: 'Lire la documentation de l’API',
  confirm: {
    title: 'Régénérer la clé API\u00A0?',
    warning: 'L’ancienne clé cesse immédiatement de fonctionner.',
    consequence:
      'Les bots, sites et serveurs de jeu qui l’utilisent recevront INVALID_API_TOKEN tant que vous ne les aurez pas mis à jour. C’est irréversible.',
    confirm: 'Régénérer maintenant',
    cancel: 'Garder l’ancienne clé',
  },
};

export const keyMessages: Record<Locale, typeof en> = { en, fr };

const linksInEnglish = {
  title: 'Vote links',
  standard: 'Standard link',
  standardHint: 'For everyone. Claim or check these votes by discord_id.',
  copyStandard: 'Copy standard link',
  custom: 'Custom link',
  customHint:
    'For one member: the vote carries their game name or website account, so you can claim or check it by that name. Your site or game builds one link per member.',
  externalId: 'Player name',
  example: 'Steve_42',
  build: 'Build link',
  copyCustom: 'Copy custom link',
  wrong: (maxLength: number) =>
    `A player name must be 1 to ${maxLength} characters long, without control characters.`,
  returnLink: 'Back to your site',
  returnLinkHint:
    'Add return_to, a complete, percent-encoded https:// URL, to either link to show a button back to your site after the vote. A visit from that button proves nothing: claim the vote with the API.',
};

const linksInFrench: typeof linksInEnglish = {
  title: 'Liens de vote',
  standard: 'Lien standard',
  standardHint: 'Pour tout le monde. Ces votes se réclament et se vérifient avec discord_id.',
  copyStandard: 'Copier le lien standard',
  custom: 'Lien personnalisé',
  customHint:
    'Pour un seul membre\u00A0: le vote porte son pseudo de jeu ou son compte sur votre site, et vous pouvez le réclamer ou le vérifier avec ce nom. Votre site ou votre jeu crée un lien par membre.',
  externalId: 'Nom de joueur',
  example: 'Steve_42',
  build: 'Créer le lien',
  copyCustom: 'Copier le lien personnalisé',
  wrong: (maxLength) =>
    `Un nom de joueur doit comporter de 1 à ${maxLength} caractères, sans caractère de contrôle.`,
  returnLink: 'Retour vers votre site',
  returnLinkHint:
    'Ajoutez à l’un ou l’autre lien le paramètre return_to, une URL https:// complète et encodée, pour afficher un bouton de retour vers votre site après le vote. Une visite depuis ce bouton ne prouve rien\u00A0: réclamez le vote avec l’API.',
};

export const linksMessages: Record<Locale, typeof linksInEnglish> = { en: linksInEnglish, fr: linksInFrench };

const partsInEnglish = {
  label: 'Parts of this page',
  names: { key: 'Key', links: 'Links', buttons: 'Buttons' },
};

const partsInFrench: typeof partsInEnglish = {
  label: 'Parties de cette page',
  names: { key: 'Clé', links: 'Liens', buttons: 'Boutons' },
};

export const partsMessages: Record<Locale, typeof partsInEnglish> = { en: partsInEnglish, fr: partsInFrench };
