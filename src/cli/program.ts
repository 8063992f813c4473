import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { ENV_FILE_OPTION, withEnvFile } from '../config/variables.ts';
import { readConfig } from '../config.ts';
import { migrateDatabase } from '../store/open.ts';
import { addBackupCommand, addRestoreCommand } from './backup.ts';
import { addExamples, type Cli, type CliContext, report } from './cli.ts';
import { addConfigCommand } from './config.ts';
import { addDiscordCommands } from './discord.ts';
import { addDoctorCommand } from './doctor.ts';
import { addGuildCommands } from './guild.ts';
import { addKeyCommands, addPremiumCommands, addSanctionCommands } from './guild-access.ts';
import { addVoterCommands } from './moderation.ts';
import { addSecretCommands } from './secret.ts';
import { addServeCommand } from './serve/serve.ts';
import { addVotesCommands } from './votes.ts';
import { addWebhookCommands } from './webhook/index.ts';

type GlobalOptions = { json?: boolean; envFile?: string };

/** The whole command line, in the order of its help. */
export function buildProgram(context: CliContext): Command {
  const program = new Command('votary');
  const cli: Cli = {
    ...context,
    wantsJson: () => program.opts<GlobalOptions>().json === true,
    get environment() {
      const { envFile } = program.opts<GlobalOptions>();
      return envFile === undefined ? context.environment : withEnvFile(context.environment, envFile);
    },
  };
  configure(program, cli);
  addServeCommand(program, cli);
  addMigrateCommand(program, cli);
  addGuildCommands(program, cli);
  addKeyCommands(program, cli);
  addPremiumCommands(program, cli);
  addSanctionCommands(program, cli);
  addVotesCommands(program, cli);
  addVoterCommands(program, cli);
  addBackupCommand(program, cli);
  addRestoreCommand(program, cli);
  addSecretCommands(program, cli);
  addWebhookCommands(program, cli);
  addDiscordCommands(program, cli);
  addConfigCommand(program, cli);
  addDoctorCommand(program, cli);
  return program;
}

/** Set before any command is added: commands inherit it. */
function configure(program: Command, { stdout, stderr }: Cli): void {
  program
    .description('Vote verification for server-listing sites.')
    .version(packageJson.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .option('--json', 'print one JSON document instead of text')
    .option(
      `${ENV_FILE_OPTION} <file>`,
      'read variables from a file; variables that are already set take precedence',
    )
    .showHelpAfterError('Add --help to see the usage.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
    })
    .exitOverride();
  addExamples(program, [
    'serve --demo',
    'guild add 123456789012345678 --name "My Community"',
    'key generate 123456789012345678',
  ]);
  program.addHelpText('after', '\nFrom a clone of the repository: npm run -s votary -- <command>');
  program.addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong arguments.');
}

function addMigrateCommand(program: Command, cli: Cli): void {
  const command = program
    .command('migrate')
    .description('migrate the database to the current schema (serve does it too)');
  addExamples(command, ['migrate', 'migrate --json']);
  command.action(async () => {
    const { version, applied } = await migrateDatabase(readConfig(cli.environment).database);
    const done = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`;
    report(cli, { version, applied }, `The database is at version ${version}: ${done}.`);
  });
}
