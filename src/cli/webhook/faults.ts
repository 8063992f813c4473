/** Why the settings of an endpoint were refused. */
import { type EndpointKind, WEBHOOK_URL_MAX_LENGTH } from '../../domain/webhooks/destination.ts';
import {
  type AddFault,
  type EndpointInput,
  type Endpoints,
  MAX_ENDPOINTS,
  type SettingsFault,
} from '../../store/webhooks/admin.ts';
import { CommandFailure, notListed } from '../cli.ts';
import { explainAddress } from './endpoints.ts';

const PROBLEMS: Record<Exclude<SettingsFault, 'private-address'>, string> = {
  'not-a-url': 'this is not a valid URL such as https://bot.example.org/votes',
  'too-long': `the URL is longer than ${WEBHOOK_URL_MAX_LENGTH} characters`,
  'not-https': 'the URL must start with https://, except in networks that VOTARY_WEBHOOK_ALLOW lists',
  'has-credentials': 'the URL contains a user name or a password; use a secret path instead',
  'forbidden-port': 'webhooks use port 443 or a port above 1023',
  'no-events': 'no event was chosen that this kind of endpoint can receive',
  'bad-name': 'the name is too long or contains control characters',
  'discord-url': 'this is the webhook of a Discord channel: give it as --discord <url> to votary webhook add',
  'not-discord':
    'this is not the webhook URL of a Discord channel (https://discord.com/api/webhooks/<id>/<token>)',
  'bad-template':
    'the message is longer than 1000 characters, or contains a field other than {user}, {community}, {total}, {streak}, {month} and {link}',
  'bad-address': 'this is not the address of a server such as mc.example.org:8192',
  'bad-token':
    'the token is empty, or contains spaces or special characters; copy it from the config.yml of NuVotifier',
  'bad-secret':
    'the secret is empty, longer than 256 characters, or contains characters that a header cannot; give the text that the receiver compares',
  'bad-service-name':
    'the service name must be 1 to 64 letters, digits, spaces, dots, hyphens or underscores',
  'bad-consumer': 'the consumer must be 1 to 32 lower-case letters (a-z), digits or hyphens',
};

export async function explainAdd(
  endpoints: Endpoints,
  fault: AddFault,
  guildId: string,
  input: EndpointInput,
): Promise<CommandFailure> {
  if (fault === 'unknown-guild') return notListed(guildId);
  if (fault !== 'too-many') return explain(endpoints, fault, input);
  return new CommandFailure(
    `guild ${guildId} has ${MAX_ENDPOINTS} endpoints already; remove one with: votary webhook remove ${guildId} <endpoint_id>`,
  );
}

/** The URL may contain a secret, so it is not repeated. */
export async function explain(
  endpoints: Endpoints,
  fault: SettingsFault,
  { kind, url = '' }: { kind?: EndpointKind | undefined; url?: string },
): Promise<CommandFailure> {
  const address = kind === 'votifier' ? `votifier://${url}` : url;
  const problem = fault === 'private-address' ? await explainAddress(endpoints, address) : PROBLEMS[fault];
  return new CommandFailure(`nothing was changed: ${problem}`);
}
