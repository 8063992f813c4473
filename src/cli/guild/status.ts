import type { Command } from 'commander';
import { formatInstant, type Instant } from '../../domain/clock.ts';
import type { Sanction } from '../../domain/guild.ts';
import { auditInstant } from '../../store/moderation/audit.ts';
import {
  addExamples,
  type Cli,
  guildIdArgument,
  notListed,
  reasonOption,
  recordAction,
  report,
  requiredDateOption,
  withStore,
} from '../cli.ts';

export function addPremiumCommands(program: Command, cli: Cli): void {
  const group = program.command('premium').description('access to the vote lists');
  addExamples(group, ['premium grant 123456789012345678 --until 2030-01-01']);
  addGrant(group, cli);
  addRevoke(group, cli);
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
    await setPremium(cli, guildId, until);
    const premiumUntil = formatInstant(until);
    const verb = until > cli.clock() ? 'has Premium until' : 'has no Premium: it ended at';
    const text = `Guild ${guildId} ${verb} ${premiumUntil}.`;
    report(cli, { guild_id: guildId, premium_until: premiumUntil }, text);
  });
}

function addRevoke(group: Command, cli: Cli): void {
  const command = group
    .command('revoke')
    .description('end Premium immediately')
    .addArgument(guildIdArgument());
  addExamples(command, ['premium revoke 123456789012345678']);
  command.action(async (guildId: string) => {
    await setPremium(cli, guildId, null);
    report(cli, { guild_id: guildId, premium_until: null }, `Guild ${guildId} no longer has Premium.`);
  });
}

async function setPremium(cli: Cli, guildId: string, until: Instant | null): Promise<void> {
  await withStore(cli, async (store) => {
    if (!(await store.guilds.setPremiumUntil(guildId, until))) throw notListed(guildId);
    await recordAction(cli, store, 'premium_changed', guildId, { until: auditInstant(until) });
  });
}

export function addSanctionCommands(program: Command, cli: Cli): void {
  const group = program.command('sanction').description('close a guild without deleting it');
  addExamples(group, ['sanction add 123456789012345678 --reason "bought votes"']);
  addAdd(group, cli);
  addLift(group, cli);
}

function addAdd(group: Command, cli: Cli): void {
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
    await setSanction(cli, guildId, { since: cli.clock(), reason });
    const text = `Guild ${guildId} is sanctioned. Lift it with: votary sanction lift ${guildId}`;
    report(cli, { guild_id: guildId, sanctioned: true, reason }, text);
  });
}

function addLift(group: Command, cli: Cli): void {
  const command = group
    .command('lift')
    .description('lift the sanction: the key works again')
    .addArgument(guildIdArgument());
  addExamples(command, ['sanction lift 123456789012345678']);
  command.action(async (guildId: string) => {
    await setSanction(cli, guildId, null);
    report(cli, { guild_id: guildId, sanctioned: false }, `Guild ${guildId} is no longer sanctioned.`);
  });
}

async function setSanction(cli: Cli, guildId: string, sanction: Sanction | null): Promise<void> {
  await withStore(cli, async (store) => {
    if (!(await store.guilds.setSanction(guildId, sanction))) throw notListed(guildId);
    if (!sanction) await recordAction(cli, store, 'sanction_lifted', guildId);
    else await recordAction(cli, store, 'sanction_added', guildId, { reason: sanction.reason });
  });
}
