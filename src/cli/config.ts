import type { Command } from 'commander';
import { readVariable, type Source, VARIABLES, type VariableName } from '../config/variables.ts';
import { type Config, readConfig } from '../config.ts';
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

export function effectiveSettings({ environment }: Cli, { database }: Config): EffectiveSetting[] {
  const names = Object.keys(VARIABLES) as VariableName[];
  return names.map((name) => {
    const { value, source } = readVariable(environment, name);
    if (name === 'VOTARY_DATABASE_URL' && value === undefined && database.kind === 'sqlite') {
      return { name, value: `sqlite:${database.path}`, source: 'default' };
    }
    return { name, value: value === undefined ? null : mask(name, value), source };
  });
}

/** Masks only the password of the database URL, because the rest is useful. */
function mask(name: VariableName, value: string): string {
  if (!('isSecret' in VARIABLES[name])) return value;
  return name === 'VOTARY_DATABASE_URL' ? maskPassword(value) : MASK;
}

export function maskPassword(url: string): string {
  return url
    .replace(/^(\w+:\/\/[^:@/?]*):[^/?]*@/, `$1:${MASK}@`)
    .replace(/([?&](?:ssl)?password=)[^&]*/g, `$1${MASK}`);
}
