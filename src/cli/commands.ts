import type { Command } from 'commander';
import type { Cli } from './cli.ts';

type AddCommand = (program: Command, cli: Cli) => void;

/**
 * Every command by its first word, in the order of the help. A call loads only its own
 * (docs/decisions/0041-a-bundle.md).
 */
export const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import('./serve/serve.ts')).addServeCommand,
  migrate: async () => (await import('./migrate.ts')).addMigrateCommand,
  guild: async () => (await import('./guild/guild.ts')).addGuildCommands,
  key: async () => (await import('./guild/access.ts')).addKeyCommands,
  premium: async () => (await import('./guild/access.ts')).addPremiumCommands,
  sanction: async () => (await import('./guild/access.ts')).addSanctionCommands,
  votes: async () => (await import('./votes.ts')).addVotesCommands,
  voter: async () => (await import('./voter.ts')).addVoterCommands,
  token: async () => (await import('./token.ts')).addTokenCommands,
  user: async () => (await import('./user.ts')).addUserCommands,
  maintenance: async () => (await import('./maintenance.ts')).addMaintenanceCommands,
  backup: async () => (await import('./backup.ts')).addBackupCommand,
  restore: async () => (await import('./backup.ts')).addRestoreCommand,
  copy: async () => (await import('./copy.ts')).addCopyCommand,
  vacuum: async () => (await import('./vacuum.ts')).addVacuumCommand,
  secret: async () => (await import('./config.ts')).addSecretCommands,
  webhook: async () => (await import('./webhook/index.ts')).addWebhookCommands,
  discord: async () => (await import('./discord.ts')).addDiscordCommands,
  config: async () => (await import('./config.ts')).addConfigCommand,
  doctor: async () => (await import('./doctor.ts')).addDoctorCommand,
};

/** The commands that these arguments can call: all of them, unless the first argument names one. */
export function commandsFor([first = '']: readonly string[]): (() => Promise<AddCommand>)[] {
  const named = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  return named ? [named] : Object.values(COMMANDS);
}
