import { type ConnectionOptions, invalid, isSendable, readConnection, type Settings } from '../connection.ts';
import { VotaryError } from '../errors/votary-error.ts';
import { isPlaceholder } from '../options.ts';

export type ManagerOptions = ConnectionOptions & {
  /** A token of the operator, `vto_…`. Keep it on your server: it can change every community. */
  token: string;
};

export function readManagerOptions(options: ManagerOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw invalid('new VotaryManager() takes an object with token and baseUrl');
  }
  const credential = readToken(options.token);
  return { ...readConnection(options), credential, prefix: '/manage/v1', cacheMs: 0 };
}

/** Messages never contain the token, because errors end up in logs. */
function readToken(value: unknown): string {
  const token = typeof value === 'string' ? value.trim() : '';
  if (token === '') {
    throw refused(
      'token is empty: create one with "votary token create", and check that the variable is set',
    );
  }
  if (token.startsWith('vty_')) {
    throw refused('token is the API key of a community: create a token with "votary token create"');
  }
  if (isPlaceholder(token)) throw refused('token is a placeholder: replace it with your token');
  if (!isSendable(token)) throw refused('token contains characters that no token has: copy it again');
  return token;
}

function refused(message: string): VotaryError {
  return new VotaryError('INVALID_TOKEN', message);
}
