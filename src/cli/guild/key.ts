import type { Command } from 'commander';
import { loadSecrets, WrongSecretError } from '../../secrets/master-secret.ts';
import type { ActivityAction } from '../../store/activities.ts';
import { issueKey, revealKey } from '../../store/keys.ts';
import type { OperatorAction } from '../../store/moderation/audit.ts';
import type { Store } from '../../store/store.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  guildIdArgument,
  notListed,
  recordAction,
  report,
  withStore,
} from '../cli.ts';

export function addKeyCommands(program: Command, cli: Cli): void {
  const group = program.command('key').description("a guild's API key");
  addExamples(group, ['key generate 123456789012345678', 'key show 123456789012345678']);
  addGenerate(group, cli);
  addShow(group, cli);
  addRevoke(group, cli);
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
      const issued = await issueKey(store, secrets, guildId, cli.clock());
      if (issued !== undefined) await record(cli, store, guildId, 'key_generated');
      return issued;
    });
    if (key === undefined) throw notListed(guildId);
    // The key is alone on its line, for a double click or $(…).
    report(cli, { guild_id: guildId, key }, key);
  });
}

function addShow(group: Command, cli: Cli): void {
  const command = group.command('show').description('print the API key').addArgument(guildIdArgument());
  addExamples(command, ['key show 123456789012345678', 'key show 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const key = await withStore(cli, async (store, config) => {
      if (!(await store.guilds.find(guildId))) throw notListed(guildId);
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

function addRevoke(group: Command, cli: Cli): void {
  const command = group
    .command('revoke')
    .description('revoke the API key; it stops working immediately')
    .addArgument(guildIdArgument());
  addExamples(command, ['key revoke 123456789012345678']);
  command.action(async (guildId: string) => {
    await withStore(cli, async (store) => {
      if (!(await store.guilds.setKey(guildId, null))) throw notListed(guildId);
      await record(cli, store, guildId, 'key_revoked');
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
