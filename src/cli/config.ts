import type { Command } from 'commander';
import { readVariable, type Source, VARIABLES, type VariableName } from '../config/variables.ts';
import { type Config, readConfig } from '../config.ts';
import { DEFAULT_ACCENT, PRODUCT_NAME } from '../site/layout/brand.ts';
import { addExamples, type Cli, formatTable, report } from './cli.ts';

const MASK = '********';

/** `value` is null when the variable is not set. */
export type EffectiveSetting = { name: VariableName; value: string | null; source: Source };

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
    const { value, source } = readVariable(cli.environment, name);
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
    .replace(/^(\w+:\/\/[^:@/?]*):[^/?]*@/, `$1:${MASK}@`)
    .replace(/([?&](?:ssl)?password=)[^&]*/g, `$1${MASK}`);
}
