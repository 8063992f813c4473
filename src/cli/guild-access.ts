/** What a guild may do: its API key, Premium, and sanctions. */
import type { Command } from 'commander';
import { formatInstant, type Instant } from '../domain/clock.ts';
import type { Sanction } from '../domain/guild.ts';
import { loadSecrets, WrongSecretError } from '../secrets/master-secret.ts';
import type { ActivityAction } from '../store/activities.ts';
import { issueKey, revealKey } from '../store/guilds.ts';
import { auditInstant, type OperatorAction } from '../store/moderation/moderation.ts';
import type { Store } from '../store/store.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  guildIdArgument,
  notListed,
  reasonOption,
  recordAction,
  report,
  requiredDateOption,
  requireGuild,
  withStore,
} from './cli.ts';

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
    const key = await withStore(cli, async (store, config) => {
      const secrets = await loadSecrets(config, store);
      await requireGuild(store, guildId);
      await record(cli, store, guildId, 'key_generated');
      return issueKey(store, secrets, guildId, cli.clock());
    });
    if (key === undefined) throw notListed(guildId);
    // The key is on its own line, to be selected with a double click or read by $(…).
    report(cli, { guild_id: guildId, key }, key);
  });
}

function addShow(group: Command, cli: Cli): void {
  const command = group.command('show').description('print the API key').addArgument(guildIdArgument());
  addExamples(command, ['key show 123456789012345678', 'key show 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const key = await withStore(cli, async (store, config) => {
      await requireGuild(store, guildId);
      const secrets = await loadSecrets(config, store).catch((error: unknown) => {
        throw error instanceof WrongSecretError
          ? new CommandFailure(explain('other-secret', guildId))
          : error;
      });
      const revealed = await revealKey(store, secrets, guildId);
      if (!revealed.shown) throw new CommandFailure(explain(revealed.reason, guildId));
      await record(cli, store, guildId, 'key_shown');
      return revealed.key;
    });
    report(cli, { guild_id: guildId, key }, key);
  });
}

function explain(reason: 'no-key' | 'other-secret', guildId: string): string {
  const remedy = `generate a new one with: votary key generate ${guildId}`;
  if (reason === 'no-key') return `guild ${guildId} has no key; ${remedy}`;
  return `the key of guild ${guildId} was encrypted with another VOTARY_SECRET and cannot be shown; restore that secret, or ${remedy}`;
}

function addRevokeKey(group: Command, cli: Cli): void {
  const command = group
    .command('revoke')
    .description('revoke the API key; it stops working immediately')
    .addArgument(guildIdArgument());
  addExamples(command, ['key revoke 123456789012345678']);
  command.action(async (guildId: string) => {
    await withStore(cli, async (store) => {
      await requireGuild(store, guildId);
      await record(cli, store, guildId, 'key_revoked');
      if (!(await store.guilds.setKey(guildId, null))) throw notListed(guildId);
    });
    report(cli, { guild_id: guildId, revoked: true }, `Guild ${guildId} no longer has a key.`);
  });
}

/** The guild's admins see in their dashboard what the operator did with their key. */
async function record(
  cli: Cli,
  store: Store,
  guildId: string,
  action: ActivityAction & OperatorAction,
): Promise<void> {
  await store.activities.record({ guildId, at: cli.clock(), actor: null, action });
  await recordAction(cli, store, action, guildId);
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
    await setPremium(cli, guildId, until);
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
    await setPremium(cli, guildId, null);
    report(cli, { guild_id: guildId, premium_until: null }, `Guild ${guildId} no longer has Premium.`);
  });
}

async function setPremium(cli: Cli, guildId: string, until: Instant | null): Promise<void> {
  await withStore(cli, async (store) => {
    await requireGuild(store, guildId);
    await recordAction(cli, store, 'premium_changed', guildId, { until: auditInstant(until) });
    if (!(await store.guilds.setPremiumUntil(guildId, until))) throw notListed(guildId);
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
    await setSanction(cli, guildId, { since: cli.clock(), reason });
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
    await setSanction(cli, guildId, null);
    report(cli, { guild_id: guildId, sanctioned: false }, `Guild ${guildId} is no longer sanctioned.`);
  });
}

async function setSanction(cli: Cli, guildId: string, sanction: Sanction | null): Promise<void> {
  await withStore(cli, async (store) => {
    await requireGuild(store, guildId);
    if (!sanction) await recordAction(cli, store, 'sanction_lifted', guildId);
    else await recordAction(cli, store, 'sanction_added', guildId, { reason: sanction.reason });
    if (!(await store.guilds.setSanction(guildId, sanction))) throw notListed(guildId);
  });
}
