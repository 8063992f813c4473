import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Instant } from '../domain/clock.ts';
import { isSnowflake } from '../domain/identifiers.ts';
import { parseIsoDate } from '../domain/iso-date.ts';
import { readPlainText } from '../domain/plain-text.ts';

const NAME_MAX_LENGTH = 100;
const REASON_MAX_LENGTH = 500;

export function guildIdArgument(): Argument {
  return new Argument('<guild_id>', 'id of the guild, 15 to 20 digits').argParser((text: string) => {
    if (!isSnowflake(text)) throw new InvalidArgumentError('It must be 15 to 20 digits.');
    return text;
  });
}

export function nameOption(): Option {
  return plainTextOption('--name <name>', 'name that people see (default: the guild id)', NAME_MAX_LENGTH);
}

export function reasonOption(): Option {
  return plainTextOption('--reason <reason>', 'why, for the people who run the site', REASON_MAX_LENGTH);
}

function plainTextOption(flags: string, description: string, maxLength: number): Option {
  return new Option(flags, description).argParser((value: string) => {
    const text = readPlainText(value, maxLength);
    if (text !== undefined) return text;
    throw new InvalidArgumentError(`It must be 1 to ${maxLength} characters without control characters.`);
  });
}

export function dateOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseDate);
}

/** An option that must be given. A date of the past is a date too: Premium that has ended, for instance. */
export function requiredDateOption(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory().argParser(parseDate);
}

function parseDate(text: string): Instant {
  const instant = parseIsoDate(text);
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError('It must be an ISO 8601 date such as 2027-01-31 or 2027-01-31T18:00:00Z.');
}

/** Help ends with lines that can be pasted. */
export function addExamples(command: Command, examples: readonly string[]): void {
  const lines = examples.map((example) => `  $ votary ${example}`);
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
