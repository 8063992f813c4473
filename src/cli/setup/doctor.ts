import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { addExamples, type Cli, CommandFailure, countOf, formatTable, report } from '../cli.ts';
import { type Finding, runChecks } from './checks.ts';

const SIGNS = { ok: 'ok', warning: 'WARNING', failed: 'FAILED' };

export function addDoctorCommand(program: Command, cli: Cli): void {
  const command = program
    .command('doctor')
    .description('check database, clock, certificate, secret, sign-in, disk and file modes');
  addExamples(command, ['doctor', 'doctor --env-file /etc/votary/env --json']);
  command.action(async () => {
    const findings = await runChecks(readConfig(cli.environment), cli.clock());
    const failures = findings.filter(({ status }) => status === 'failed').length;
    report(cli, { ok: failures === 0, checks: findings }, formatTable(findings.flatMap(rowsOf)));
    if (failures > 0) throw new CommandFailure(`${countOf(failures, 'check')} failed`);
  });
}

function rowsOf({ check, status, message, advice }: Finding): string[][] {
  const row = [SIGNS[status], check, message];
  return advice === undefined ? [row] : [row, ['', '', `-> ${advice}`]];
}
