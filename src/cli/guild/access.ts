/** What a guild may do: its API key, Premium, and sanctions. */
import type { Command } from 'commander';
import { formatInstant, type Instant } from '../../domain/clock.ts';
import { liftSanction, sanctionGuild, setGuildPremium } from '../../moderation/guilds.ts';
import { generateKey, revokeKey, showKey } from '../../moderation/keys.ts';
import { loadSecrets, WrongSecretError } from '../../secrets/master-secret.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  changeGuild,
  guildIdArgument,
  moderatorOf,
  notListed,
  reasonOption,
  report,
  requiredDateOption,
  requireGuild,
  withStore,
} from '../cli.ts';

export function addKeyCommands(program: Command, cli: Cli): void {
  const group = program.command('key').description("a guild's API key");
  addExamples(group, ['key generate 123456789012345678', 'key show 123456789012345678']);
  addGenerate(group, cli);
  addShow(group, cli);
  addRevokeKey(group, cli);
}

function addGenerate(group: Command, cli: Cli): void {
  const command = group
    .command('generate')
    .description('generate a new API key; the old one stops working immediately')
    .addArgument(guildIdArgument());
  addExamples(command, ['key generate 123456789012345678', 'key generate 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const outcome = await withStore(cli, async (store, config) =>
      generateKey(moderatorOf(cli, store), await loadSecrets(config, store), guildId),
    );
    if (outcome.kind === 'unknown_guild') throw notListed(guildId);
    const { key } = outcome;
    // The key is on its own line, to be selected with a double click or read by $(…).
    report(cli, { guild_id: guildId, key }, key);
  });
}

function addShow(group: Command, cli: Cli): void {
  const command = group.command('show').description('print the API key').addArgument(guildIdArgument());
  addExamples(command, ['key show 123456789012345678', 'key show 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const outcome = await withStore(cli, async (store, config) => {
      await requireGuild(store, guildId);
      const secrets = await loadSecrets(config, store).catch((error: unknown) => {
        throw error instanceof WrongSecretError
          ? new CommandFailure(explain('other_secret', guildId))
          : error;
      });
      return showKey(moderatorOf(cli, store), secrets, guildId);
    });
    if (outcome.kind !== 'shown') throw new CommandFailure(explain(outcome.kind, guildId));
    const { key } = outcome;
    report(cli, { guild_id: guildId, key }, key);
  });
}

function explain(reason: 'no_key' | 'other_secret', guildId: string): string {
  const remedy = `generate a new one with: votary key generate ${guildId}`;
  if (reason === 'no_key') return `guild ${guildId} has no key; ${remedy}`;
  return `the key of guild ${guildId} was encrypted with another VOTARY_SECRET and cannot be shown; restore that secret, or ${remedy}`;
}

function addRevokeKey(group: Command, cli: Cli): void {
  const command = group
    .command('revoke')
    .description('revoke the API key; it stops working immediately')
    .addArgument(guildIdArgument());
  addExamples(command, ['key revoke 123456789012345678']);
  command.action(async (guildId: string) => {
    const { kind } = await withStore(cli, (store) => revokeKey(moderatorOf(cli, store), guildId));
    if (kind === 'unknown_guild') throw notListed(guildId);
    report(cli, { guild_id: guildId, revoked: true }, `Guild ${guildId} no longer has a key.`);
  });
}

export function addPremiumCommands(program: Command, cli: Cli): void {
  const group = program.command('premium').description('access to the vote lists');
  addExamples(group, ['premium grant 123456789012345678 --until 2030-01-01']);
  addGrant(group, cli);
  addRevokePremium(group, cli);
}

function addGrant(group: Command, cli: Cli): void {
  const command = group
    .command('grant')
    .description('grant Premium until a date, effective immediately')
    .addArgument(guildIdArgument())
    .addOption(requiredDateOption('--until <date>', 'when it ends, ISO 8601'));
  addExamples(command, [
    'premium grant 123456789012345678 --until 2030-01-01',
    'premium grant 123456789012345678 --until 2030-01-01T18:00:00+02:00',
  ]);
  command.action(async (guildId: string, { until }: { until: Instant }) => {
    await changeGuild(cli, guildId, (moderator) => setGuildPremium(moderator, guildId, until));
    const premiumUntil = formatInstant(until);
    const verb = until > cli.clock() ? 'has Premium until' : 'has no Premium: it ended at';
    const text = `Guild ${guildId} ${verb} ${premiumUntil}.`;
    report(cli, { guild_id: guildId, premium_until: premiumUntil }, text);
  });
}

function addRevokePremium(group: Command, cli: Cli): void {
  const command = group
    .command('revoke')
    .description('end Premium immediately')
    .addArgument(guildIdArgument());
  addExamples(command, ['premium revoke 123456789012345678']);
  command.action(async (guildId: string) => {
    await changeGuild(cli, guildId, (moderator) => setGuildPremium(moderator, guildId, null));
    report(cli, { guild_id: guildId, premium_until: null }, `Guild ${guildId} no longer has Premium.`);
  });
}

export function addSanctionCommands(program: Command, cli: Cli): void {
  const group = program.command('sanction').description('close a guild without deleting it');
  addExamples(group, ['sanction add 123456789012345678 --reason "bought votes"']);
  addSanction(group, cli);
  addLiftSanction(group, cli);
}

function addSanction(group: Command, cli: Cli): void {
  const command = group
    .command('add')
    .description('sanction a guild: its key is disabled until the sanction is lifted')
    .addArgument(guildIdArgument())
    .addOption(reasonOption());
  addExamples(command, [
    'sanction add 123456789012345678',
    'sanction add 123456789012345678 --reason "bought votes"',
  ]);
  command.action(async (guildId: string, options: { reason?: string }) => {
    const reason = options.reason ?? null;
    await changeGuild(cli, guildId, (moderator) => sanctionGuild(moderator, guildId, reason));
    const text = `Guild ${guildId} is sanctioned. Lift it with: votary sanction lift ${guildId}`;
    report(cli, { guild_id: guildId, sanctioned: true, reason }, text);
  });
}

function addLiftSanction(group: Command, cli: Cli): void {
  const command = group
    .command('lift')
    .description('lift the sanction: the key works again')
    .addArgument(guildIdArgument());
  addExamples(command, ['sanction lift 123456789012345678']);
  command.action(async (guildId: string) => {
    await changeGuild(cli, guildId, (moderator) => liftSanction(moderator, guildId));
    report(cli, { guild_id: guildId, sanctioned: false }, `Guild ${guildId} is no longer sanctioned.`);
  });
}
