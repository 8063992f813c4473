import { type Command, Option } from 'commander';
import { formatInstant } from '../domain/clock.ts';
import type { Maintenance } from '../domain/maintenance.ts';
import { beginMaintenance, endMaintenance } from '../moderation/maintenance.ts';
import { addExamples, type Cli, moderatorOf, parsePlainText, report, withStore } from './cli.ts';

const MESSAGE_MAX_LENGTH = 300;

export function addMaintenanceCommands(program: Command, cli: Cli): void {
  const group = program
    .command('maintenance')
    .description('refuse votes for a while; checks, claims, lists and pages work as before');
  addExamples(group, ['maintenance on --message "Back at 18:00 UTC"', 'maintenance off']);
  addOn(group, cli);
  addOff(group, cli);
  addStatus(group, cli);
}

function addOn(group: Command, cli: Cli): void {
  const command = group
    .command('on')
    .description('refuse votes, in all processes within about a second')
    .addOption(
      new Option('--message <message>', 'what voters are told').argParser((text: string) =>
        parsePlainText(text, MESSAGE_MAX_LENGTH),
      ),
    );
  addExamples(command, ['maintenance on', 'maintenance on --message "Back at 18:00 UTC"']);
  command.action(async ({ message = null }: { message?: string | null }) => {
    const state = await withStore(cli, (store) => beginMaintenance(moderatorOf(cli, store), message));
    report(cli, describe(state), 'Votes are refused. Accept them again with: votary maintenance off');
  });
}

function addOff(group: Command, cli: Cli): void {
  const command = group.command('off').description('accept votes again');
  addExamples(command, ['maintenance off']);
  command.action(async () => {
    const hasEnded = await withStore(cli, (store) => endMaintenance(moderatorOf(cli, store)));
    report(cli, describe(undefined), hasEnded ? 'Votes are accepted again.' : 'Votes were already accepted.');
  });
}

function addStatus(group: Command, cli: Cli): void {
  const command = group.command('status').description('show whether votes are refused');
  addExamples(command, ['maintenance status', 'maintenance status --json']);
  command.action(async () => {
    const state = await withStore(cli, (store) => store.maintenance.find());
    report(cli, describe(state), statusText(state));
  });
}

function statusText(state: Maintenance | undefined): string {
  if (!state) return 'Votes are accepted.';
  const message = state.message === null ? '' : `, with the message "${state.message}"`;
  return `Votes have been refused since ${formatInstant(state.since)}${message}.`;
}

function describe(state: Maintenance | undefined) {
  return {
    maintenance: state !== undefined,
    message: state?.message ?? null,
    since: state ? formatInstant(state.since) : null,
  };
}
