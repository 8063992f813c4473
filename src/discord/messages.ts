import type { Locale } from '../domain/locale.ts';

/** Why a request to the interactions endpoint is rejected. */
export type InteractionError = 'DISCORD_NOT_CONFIGURED' | 'INVALID_SIGNATURE' | 'BAD_INTERACTION';

/** `guild` is a name in bold, `when` a time that Discord formats for the reader. */
export type AppMessages = {
  errors: Record<InteractionError, string>;
  counted(guild: string, when: string): string;
  doubled: string;
  cooldown(guild: string, when: string): string;
  canVote(guild: string): string;
  youngAccount(when: string): string;
  banned: string;
  bannedUntil(when: string): string;
  signedLinksOnly(guild: string): string;
  membersOnly(guild: string): string;
  notListed(site: string): string;
  suspended(guild: string): string;
  maintenance(message: string | null): string;
  inServersOnly: string;
  unknownAction: string;
  failed: string;
  topTitle(guild: string): string;
  topEntry(rank: number, user: string, votes: number): string;
  topTotal(votes: number): string;
  topEmpty(guild: string): string;
  remindersOn(guild: string): string;
  nextReminder(when: string): string;
  reminderAfterVote: string;
  remindersOff(guild: string): string;
  remindersWereOff(guild: string): string;
  noReminders: string;
  reminder(guild: string): string;
  buttons: { votePage: string; vote: string; remind: string; stop: string; site: string };
};

/** What the operator says comes first. */
const joined = (message: string | null, text: string): string =>
  message === null ? text : `${message}\n${text}`;

const en: AppMessages = {
  errors: {
    DISCORD_NOT_CONFIGURED: 'The Discord app is not configured. Set VOTARY_DISCORD_PUBLIC_KEY.',
    INVALID_SIGNATURE: 'The signature is missing, wrong, too old, or was used before.',
    BAD_INTERACTION: 'The body is not an interaction of this app.',
  },
  counted: (guild, when) => `Your vote for ${guild} has been counted. You can vote again ${when}.`,
  doubled: 'It is worth double rewards.',
  cooldown: (guild, when) => `You have already voted for ${guild}. You can vote again ${when}.`,
  canVote: (guild) => `You can vote for ${guild} now.`,
  youngAccount: (when) => `Your Discord account is too new to vote. You can vote starting ${when}.`,
  banned: 'You cannot vote on this site.',
  bannedUntil: (when) => `You cannot vote on this site until ${when}.`,
  signedLinksOnly: (guild) =>
    `${guild} only accepts votes through its own links. Get yours in its game, on its website or from its bot.`,
  membersOnly: (guild) =>
    `Only members of ${guild} can vote. Use /vote in its server, or open the voting page.`,
  notListed: (site) =>
    `This server is not listed on ${site}. Its administrators can add it in the dashboard.`,
  suspended: (guild) =>
    `Voting for ${guild} is suspended. Its administrators can ask the operator of the site for the reason.`,
  maintenance: (message) =>
    joined(
      message,
      'Votes are not accepted right now, because the site is being maintained. Try again later.',
    ),
  inServersOnly: 'Use this command in the server that you want to vote for.',
  unknownAction: 'This command or button is no longer available.',
  failed: 'Something went wrong on our side. Try again in a minute, or open the voting page.',
  topTitle: (guild) => `Top voters of ${guild} this month`,
  topEntry: (rank, user, votes) =>
    `${rank}. ${user}: ${votes === 1 ? '1 vote' : `${number('en', votes)} votes`}`,
  topTotal: (votes) => `All votes this month: ${number('en', votes)}`,
  topEmpty: (guild) => `Nobody has voted for ${guild} this month. Be the first!`,
  remindersOn: (guild) => `You will get a direct message when you can vote for ${guild} again.`,
  nextReminder: (when) => `The next one arrives ${when}.`,
  reminderAfterVote: 'The first one arrives an hour after your next vote.',
  remindersOff: (guild) => `You will no longer get reminders for ${guild}.`,
  remindersWereOff: (guild) => `Reminders for ${guild} are off.`,
  noReminders: 'This site does not send reminders.',
  reminder: (guild) => `You can vote for ${guild} again.`,
  buttons: {
    votePage: 'Open the voting page',
    vote: 'Vote',
    remind: 'Remind me',
    stop: 'Stop reminders',
    site: 'Open the site',
  },
};

const fr: AppMessages = {
  errors: {
    DISCORD_NOT_CONFIGURED:
      'L’application Discord n’est pas configurée. Définissez VOTARY_DISCORD_PUBLIC_KEY.',
    INVALID_SIGNATURE: 'La signature est absente, incorrecte, trop ancienne ou déjà utilisée.',
    BAD_INTERACTION: 'Le corps n’est pas une interaction de cette application.',
  },
  counted: (guild, when) => `Votre vote pour ${guild} est enregistré. Vous pourrez revoter ${when}.`,
  doubled: 'Il donne droit à une double récompense.',
  cooldown: (guild, when) => `Vous avez déjà voté pour ${guild}. Vous pourrez revoter ${when}.`,
  canVote: (guild) => `Vous pouvez voter pour ${guild} dès maintenant.`,
  youngAccount: (when) =>
    `Votre compte Discord est trop récent pour voter. Vous pourrez voter à partir du ${when}.`,
  banned: 'Vous ne pouvez pas voter sur ce site.',
  bannedUntil: (when) => `Vous ne pouvez pas voter sur ce site jusqu’au ${when}.`,
  signedLinksOnly: (guild) =>
    `${guild} n’accepte que les votes passant par ses propres liens. Obtenez le vôtre dans son jeu, sur son site ou auprès de son bot.`,
  membersOnly: (guild) =>
    `Seuls les membres de ${guild} peuvent voter. Utilisez /voter sur son serveur ou ouvrez la page de vote.`,
  notListed: (site) =>
    `Ce serveur n’est pas référencé sur ${site}. Ses administrateurs peuvent l’ajouter depuis le tableau de bord.`,
  suspended: (guild) =>
    `Les votes pour ${guild} sont suspendus. Ses administrateurs peuvent en demander la raison à l’administration du site.`,
  maintenance: (message) =>
    joined(
      message,
      'Les votes ne sont pas acceptés pour le moment, car le site est en maintenance. Réessayez plus tard.',
    ),
  inServersOnly: 'Utilisez cette commande sur le serveur pour lequel vous voulez voter.',
  unknownAction: 'Cette commande ou ce bouton n’est plus disponible.',
  failed: 'Une erreur s’est produite de notre côté. Réessayez dans une minute ou ouvrez la page de vote.',
  topTitle: (guild) => `Top votants de ${guild} ce mois-ci`,
  topEntry: (rank, user, votes) =>
    `${rank}. ${user}\u00A0: ${number('fr', votes)} vote${votes > 1 ? 's' : ''}`,
  topTotal: (votes) => `Total des votes ce mois-ci\u00A0: ${number('fr', votes)}`,
  topEmpty: (guild) => `Personne n’a encore voté pour ${guild} ce mois-ci. À vous l’honneur\u00A0!`,
  remindersOn: (guild) => `Vous recevrez un message privé quand vous pourrez revoter pour ${guild}.`,
  nextReminder: (when) => `Le prochain arrivera ${when}.`,
  reminderAfterVote: 'Le premier arrivera une heure après votre prochain vote.',
  remindersOff: (guild) => `Vous ne recevrez plus de rappels pour ${guild}.`,
  remindersWereOff: (guild) => `Les rappels pour ${guild} sont désactivés.`,
  noReminders: 'Ce site n’envoie pas de rappels.',
  reminder: (guild) => `Vous pouvez de nouveau voter pour ${guild}.`,
  buttons: {
    votePage: 'Ouvrir la page de vote',
    vote: 'Voter',
    remind: 'Activer les rappels',
    stop: 'Désactiver les rappels',
    site: 'Ouvrir le site',
  },
};

export const appMessages: Record<Locale, AppMessages> = { en, fr };

function number(locale: Locale, value: number): string {
  return value.toLocaleString(locale);
}

/** The names and descriptions that people see in the command list. */
export type CommandText = { name: string; description: string };

export const commandTexts: Record<string, Record<Locale, CommandText>> = {
  vote: {
    en: { name: 'vote', description: 'Vote for this server' },
    fr: { name: 'voter', description: 'Voter pour ce serveur' },
  },
  'vote-status': {
    en: { name: 'vote-status', description: 'See when you can vote again, and your votes so far' },
    fr: {
      name: 'statut-vote',
      description: 'Voir quand vous pourrez revoter et combien de fois vous avez voté',
    },
  },
  top: {
    en: { name: 'top', description: 'See who voted most for this server this month' },
    fr: { name: 'classement', description: 'Voir qui a le plus voté pour ce serveur ce mois-ci' },
  },
  remind: {
    en: { name: 'remind', description: 'Get a direct message when you can vote again' },
    fr: { name: 'rappel', description: 'Recevoir un message privé quand vous pouvez revoter' },
  },
  on: {
    en: { name: 'on', description: 'Turn reminders on for this server' },
    fr: { name: 'activer', description: 'Activer les rappels pour ce serveur' },
  },
  off: {
    en: { name: 'off', description: 'Turn reminders off for this server' },
    fr: { name: 'désactiver', description: 'Désactiver les rappels pour ce serveur' },
  },
};
