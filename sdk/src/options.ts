import { type ConnectionOptions, invalid, isSendable, readConnection, type Settings } from './connection.ts';
import { VotaryError } from './errors/votary-error.ts';

export type VotaryOptions = ConnectionOptions & {
  /** The API key of your community. Keep it on your server: never in a browser, never in a repository. */
  apiKey: string;
  /** How long a response is reused for identical calls. Default 3; 0 turns caching off. */
  cacheSeconds?: number | undefined;
};

/** Common placeholders for a key. The service recognizes more of them and returns a helpful error. */
const PLACEHOLDER = /^(?:<.*>|\[.*\]|[$#]?\{.*\}|%.*%|\$\w+|[x*.•…]+|undefined|null|change_?me|api_?key)$/i;
const INSTRUCTION = /^(?:your|my|votre).*(?:key|token|cl[eé]|api)/i;

export function readOptions(options: VotaryOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw invalid('new Votary() takes an object with apiKey and baseUrl');
  }
  const { cacheSeconds = 3 } = options;
  if (!(typeof cacheSeconds === 'number' && cacheSeconds >= 0)) {
    throw invalid('cacheSeconds must be 0 (no caching) or a number of seconds');
  }
  const credential = readApiKey(options.apiKey);
  return { ...readConnection(options), credential, prefix: '/v7', cacheMs: cacheSeconds * 1000 };
}

/** Messages never contain the key, because errors end up in logs. */
function readApiKey(value: unknown): string {
  const key = typeof value === 'string' ? value.trim() : '';
  if (key === '') {
    throw new VotaryError(
      'API_NOT_SET',
      'apiKey is empty: generate a key in the dashboard, and check that the variable you read it from is set',
    );
  }
  if (isPlaceholder(key)) {
    throw new VotaryError(
      'API_NOT_SET',
      'apiKey is a placeholder: replace it with the key of your community',
    );
  }
  if (!isSendable(key)) {
    throw new VotaryError('API_NOT_SET', 'apiKey contains characters that no key has: copy it again');
  }
  return key;
}

export function isPlaceholder(credential: string): boolean {
  return PLACEHOLDER.test(credential) || INSTRUCTION.test(credential);
}
