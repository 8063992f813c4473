import type { Command } from 'commander';
import { checkSecret } from '../config/values.ts';
import {
  readSecretText,
  readVariable,
  type Source,
  VARIABLES,
  type VariableName,
} from '../config/variables.ts';
import { type Config, readConfig } from '../config.ts';
import {
  configuredSecret,
  generateMasterSecret,
  loadMasterSecret,
  replaceMasterSecret,
} from '../secrets/master-secret.ts';
import { DEFAULT_ACCENT, PRODUCT_NAME } from '../site/layout/brand.ts';
import { createResealer, type ResealCounts, type SealedTexts } from '../store/maintenance/reseal.ts';
import { withSealedTexts } from '../store/open.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  countOf,
  formatTable,
  refuseStrayDatabase,
  report,
} from './cli.ts';

const MASK = '********';

/** `value` is null when the variable is not set. `source` is the path of the file for variables of `--env-file`. */
export type EffectiveSetting = { name: VariableName; value: string | null; source: Source | string };

export function addConfigCommand(program: Command, cli: Cli): void {
  const command = program
    .command('config')
    .description('print the configuration that serve would use, secrets masked');
  addExamples(command, ['config', 'config --env-file /etc/votary/env --json']);
  command.action(() => {
    // Invalid values fail here with the same error as in `serve`.
    const settings = effectiveSettings(cli, readConfig(cli.environment));
    const rows = settings.map(({ name, value, source }) => [name, value ?? '-', source]);
    const document = Object.fromEntries(settings.map(({ name, ...rest }) => [name, rest]));
    report(cli, document, formatTable([['VARIABLE', 'VALUE', 'FROM'], ...rows]));
  });
}

function effectiveSettings(cli: Cli, config: Config): EffectiveSetting[] {
  const names = Object.keys(VARIABLES) as VariableName[];
  const defaults = computedDefaults(config);
  return names.map((name) => {
    const { value, source: found } = readVariable(cli.environment, name);
    const source = found === 'environment' && !cli.ownEnvironment[name] ? (cli.envFile() ?? found) : found;
    const computed = defaults[name];
    if (value === undefined && computed !== undefined) return { name, value: computed, source: 'default' };
    return { name, value: value === undefined ? null : mask(name, value), source };
  });
}

/** The defaults that depend on other variables, or that differ from setting the same value. */
function computedDefaults({ database, drainSeconds }: Config): Partial<Record<VariableName, string>> {
  return {
    ...(database.kind === 'sqlite' ? { VOTARY_DATABASE_URL: `sqlite:${database.path}` } : {}),
    VOTARY_DRAIN_SECONDS: String(drainSeconds),
    VOTARY_SITE_NAME: PRODUCT_NAME,
    VOTARY_SITE_ACCENT: DEFAULT_ACCENT,
    VOTARY_LOG_LEVEL: 'info',
  };
}

/** Masks only the password of the database URL, because the rest is useful. */
function mask(name: VariableName, value: string): string {
  if (!('isSecret' in VARIABLES[name])) return value;
  return name === 'VOTARY_DATABASE_URL' ? maskPassword(value) : MASK;
}

function maskPassword(url: string): string {
  return url
    .replace(/^(\w+:\/\/[^:@/?]*):[^/?]*@/, (_start, user: string) => `${user}:${MASK}@`)
    .replace(/([?&](?:ssl)?password=)[^&]*/g, (_parameter, name: string) => `${name}${MASK}`);
}

const NEW_SECRET_VARIABLE = 'VOTARY_NEW_SECRET';

export function addSecretCommands(program: Command, cli: Cli): void {
  const group = program.command('secret').description('the master secret that encrypts API keys');
  addExamples(group, ['secret rotate']);
  const command = group
    .command('rotate')
    .description(
      're-encrypt everything with a new master secret; the server must be stopped, unless VOTARY_SECRET_PREVIOUS is set',
    )
    .option('--to-env <name>', 'variable with the new secret, if VOTARY_SECRET is set', NEW_SECRET_VARIABLE);
  addExamples(command, [
    'secret rotate',
    'secret rotate --to-env VOTARY_NEW_SECRET   # if VOTARY_SECRET is set',
    'secret rotate --env-file /etc/votary/env   # with VOTARY_SECRET_PREVIOUS there, while the service runs',
  ]);
  command.action(({ toEnv }: { toEnv: string }) => rotate(cli, toEnv));
}

async function rotate(cli: Cli, variable: string): Promise<void> {
  // A secret that is no longer accepted at startup must still be replaceable.
  const config = readConfig(cli.environment, { allowsWeakSecret: true, ignored: variable });
  refuseStrayDatabase(cli, config);
  const { counts, next } = await rotateIn(cli, config, variable);
  report(cli, describe(counts), `${sentence(counts)} ${next}`);
}

type Rotated = { counts: ResealCounts; next: string };

async function rotateIn(cli: Cli, config: Config, variable: string): Promise<Rotated> {
  const { secret, secretPrevious, database } = config;
  if (secret === null) {
    return { counts: await rotateFile(config), next: `${SIGNED_OUT} Start the server again.` };
  }
  if (secretPrevious !== null && !readSecretText(cli.environment, variable)) {
    checkSecret('VOTARY_SECRET', secret);
    const resealShared = (sealed: SealedTexts) => reseal(sealed, secretPrevious, secret);
    return { counts: await withSealedTexts(database, resealShared, { isShared: true }), next: STILL_READ };
  }
  const fresh = readNewSecret(cli, config, variable);
  const resealAlone = (sealed: SealedTexts) => reseal(sealed, configuredSecret(secret, config), fresh);
  const counts = await withSealedTexts(database, resealAlone);
  const change = `Set VOTARY_SECRET to the value of ${variable} for every process`;
  return { counts, next: `${SIGNED_OUT} ${change}, then start them again.` };
}

const SIGNED_OUT = 'Everyone has to sign in again, and existing cursors are no longer valid.';
const STILL_READ =
  'Sessions and cursors of the previous secret stay valid until VOTARY_SECRET_PREVIOUS is removed: keep it for 7 days.';

/**
 * First the file lists both secrets, then everything is re-encrypted in one transaction, then the file lists only the
 * new one. If this is interrupted, every value can be decrypted with a secret in the file.
 */
async function rotateFile(config: Config): Promise<ResealCounts> {
  return withSealedTexts(config.database, async (sealed) => {
    const old = await loadMasterSecret(config);
    const fresh = generateMasterSecret();
    const oldLines = old.split('\n');
    await replaceMasterSecret(config.dataDir, [...oldLines, fresh]);
    const counts = await reseal(sealed, old, fresh);
    await replaceMasterSecret(config.dataDir, [fresh]);
    return counts;
  });
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
  return unreadable === 0 ? done : `${done} ${lost}`;
}
