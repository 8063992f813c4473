import type { Command } from 'commander';
import { checkSecret } from '../config/values.ts';
import { readSecretText } from '../config/variables.ts';
import { type Config, readConfig } from '../config.ts';
import { generateMasterSecret, loadMasterSecret, replaceMasterSecret } from '../secrets/master-secret.ts';
import { createResealer, type ResealCounts, type SealedTexts } from '../store/backup.ts';
import { holdSealed } from '../store/open.ts';
import { addExamples, type Cli, CommandFailure, countOf, report } from './cli.ts';

const NEW_SECRET_VARIABLE = 'VOTARY_NEW_SECRET';

export function addSecretCommands(program: Command, cli: Cli): void {
  const group = program.command('secret').description('the master secret that encrypts API keys');
  addExamples(group, ['secret rotate']);
  const command = group
    .command('rotate')
    .description('re-encrypt everything with a new master secret; the server must be stopped')
    .option('--to-env <name>', 'variable with the new secret, if VOTARY_SECRET is set', NEW_SECRET_VARIABLE);
  addExamples(command, [
    'secret rotate',
    'secret rotate --to-env VOTARY_NEW_SECRET   # if VOTARY_SECRET is set',
  ]);
  command.action(({ toEnv }: { toEnv: string }) => rotate(cli, toEnv));
}

async function rotate(cli: Cli, variable: string): Promise<void> {
  // A secret that is no longer accepted at startup must still be replaceable.
  const config = readConfig(cli.environment, { allowsWeakSecret: true, ignored: variable });
  const isKeptInFile = config.secret === null;
  const counts = isKeptInFile
    ? await rotateFile(config)
    : await rotateTo(config, config.secret, readNewSecret(cli, config, variable));
  const next = isKeptInFile
    ? 'Start the server again.'
    : `Set VOTARY_SECRET to the value of ${variable} for every process, then start them again.`;
  report(cli, describe(counts), `${sentence(counts)} ${next}`);
}

/**
 * First the file lists both secrets, then everything is re-encrypted in one transaction, then the file lists only the
 * new one. If this is interrupted, every value can be decrypted with a secret in the file.
 */
async function rotateFile(config: Config): Promise<ResealCounts> {
  return holdSealed(config.database, async (sealed) => {
    const old = await loadMasterSecret(config);
    const fresh = generateMasterSecret();
    const oldLines = old.split('\n');
    await replaceMasterSecret(config.dataDir, [...oldLines, fresh]);
    const counts = await reseal(sealed, old, fresh);
    await replaceMasterSecret(config.dataDir, [fresh]);
    return counts;
  });
}

function rotateTo({ database }: Config, old: string, fresh: string): Promise<ResealCounts> {
  return holdSealed(database, (sealed) => reseal(sealed, old, fresh));
}

function reseal(sealed: SealedTexts, old: string, fresh: string): Promise<ResealCounts> {
  return sealed.reseal(createResealer(old, fresh));
}

function readNewSecret(cli: Cli, { secret }: Config, variable: string): string {
  const fresh = readSecretText(cli.environment, variable);
  if (!fresh) {
    throw new CommandFailure(
      `VOTARY_SECRET is set, so the new secret must come from a variable too: set ${variable} (openssl rand -hex 32)`,
    );
  }
  if (fresh === secret) {
    throw new CommandFailure(`${variable} contains the current secret: set a new one (openssl rand -hex 32)`);
  }
  return checkSecret(variable, fresh);
}

function describe({ apiKeys, webhookSecrets, unreadable }: ResealCounts): Record<string, unknown> {
  return { rotated: true, api_keys: apiKeys, webhook_secrets: webhookSecrets, unreadable };
}

function sentence({ apiKeys, webhookSecrets, unreadable }: ResealCounts): string {
  const done = `Re-encrypted ${countOf(apiKeys, 'API key')} and ${countOf(webhookSecrets, 'webhook secret')}; the keys themselves are unchanged.`;
  const lost = `${countOf(unreadable, 'value')} encrypted with an older, lost secret still cannot be read.`;
  const rest = 'Everyone has to sign in again, and existing cursors are no longer valid.';
  return unreadable === 0 ? `${done} ${rest}` : `${done} ${lost} ${rest}`;
}
