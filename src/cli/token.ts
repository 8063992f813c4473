/** Tokens of the management API. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatInstantOrNull, type Instant } from '../domain/clock.ts';
import {
  type ApiToken,
  isTokenScope,
  TOKEN_SCOPES,
  type TokenScope,
  tokenStateAt,
} from '../domain/keys/api-token.ts';
import { createToken, revokeToken, TOKEN_NAME_MAX_LENGTH } from '../moderation/tokens.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  dateOption,
  formatTable,
  moderatorOf,
  parsePlainText,
  report,
  withStore,
} from './cli.ts';

export function addTokenCommands(program: Command, cli: Cli): void {
  const group = program.command('token').description('tokens of the management API (/manage/v1)');
  addExamples(group, ['token create --name billing --scope guilds:read,guilds:write', 'token list']);
  addCreate(group, cli);
  addList(group, cli);
  addRevoke(group, cli);
}

type CreateOptions = { name: string; scope?: TokenScope[]; expires?: Instant };

function addCreate(group: Command, cli: Cli): void {
  const name = new Option('--name <name>', 'who uses it; the log of operators shows this name');
  const command = group
    .command('create')
    .description('create a token and print it; it cannot be shown again')
    .addOption(
      name.makeOptionMandatory().argParser((text: string) => parsePlainText(text, TOKEN_NAME_MAX_LENGTH)),
    )
    .addOption(
      new Option(
        '--scope <scopes>',
        `what it may do, separated by commas: ${TOKEN_SCOPES.join(', ')} (default: all)`,
      ).argParser(parseScopes),
    )
    .addOption(dateOption('--expires <date>', 'when it stops working, ISO 8601 (default: never)'));
  addExamples(command, [
    'token create --name "listing site"',
    'token create --name billing --scope guilds:read,guilds:write --expires 2027-01-01 --json',
  ]);
  command.action(async (options: CreateOptions) => {
    const { scope: scopes = [...TOKEN_SCOPES], expires: expiresAt = null } = options;
    const input = { name: options.name, scopes, expiresAt };
    const outcome = await withStore(cli, (store) => createToken(moderatorOf(cli, store), input));
    if (outcome.kind === 'already_expired') return command.error("error: '--expires' must be in the future");
    const { token, tokenId } = outcome;
    const expires = formatInstantOrNull(expiresAt);
    const document = { token, id: tokenId, name: options.name, scopes, expires_at: expires };
    // The token is on its own line, to be selected with a double click or read by $(…).
    report(cli, document, token);
  });
}

function parseScopes(text: string): TokenScope[] {
  const scopes = text.split(',').map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !isTokenScope(scope));
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `There is no scope '${unknown}'. The scopes are: ${TOKEN_SCOPES.join(', ')}.`,
    );
  return TOKEN_SCOPES.filter((scope) => scopes.includes(scope));
}

function addList(group: Command, cli: Cli): void {
  const command = group
    .command('list')
    .description('show the tokens, without their secret part; ended ones for 90 days');
  addExamples(command, ['token list', 'token list --json']);
  command.action(async () => {
    const tokens = await withStore(cli, (store) => store.tokens.list());
    const now = cli.clock();
    const rows = tokens.map((token) => [
      token.tokenId,
      token.name,
      tokenStateAt(token, now),
      token.scopes.join(','),
      formatInstantOrNull(token.expiresAt) ?? '-',
      formatInstantOrNull(token.lastUsedAt) ?? '-',
    ]);
    const table = formatTable([['ID', 'NAME', 'STATE', 'SCOPES', 'EXPIRES', 'LAST USED'], ...rows]);
    const documents = tokens.map((token) => describe(token, now));
    report(cli, documents, tokens.length === 0 ? NO_TOKENS : table);
  });
}

const NO_TOKENS = 'There are no tokens. Create one with: votary token create --name "listing site"';

function addRevoke(group: Command, cli: Cli): void {
  const command = group
    .command('revoke')
    .description('revoke a token; it stops working immediately')
    .argument('<id>', 'the id that token list shows');
  addExamples(command, ['token revoke tok_5f0c2a9be1d47388']);
  command.action(async (tokenId: string) => {
    const { kind } = await withStore(cli, (store) => revokeToken(moderatorOf(cli, store), tokenId));
    if (kind === 'unknown') throw new CommandFailure(`there is no token ${tokenId}; see: votary token list`);
    const text =
      kind === 'revoked' ? `Token ${tokenId} is revoked.` : `Token ${tokenId} was already revoked.`;
    report(cli, { id: tokenId, revoked: true }, text);
  });
}

function describe(token: ApiToken, now: Instant): Record<string, unknown> {
  return {
    id: token.tokenId,
    name: token.name,
    state: tokenStateAt(token, now),
    scopes: token.scopes,
    created_at: formatInstantOrNull(token.createdAt),
    expires_at: formatInstantOrNull(token.expiresAt),
    last_used_at: formatInstantOrNull(token.lastUsedAt),
    revoked_at: formatInstantOrNull(token.revokedAt),
  };
}
