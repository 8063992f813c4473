/** Reads the environment and starts the site. */
import { createServer } from 'node:http';
import { VotaryManager } from '@votary/sdk/manage';
import { createSite } from './site.ts';

const { VOTARY_TOKEN, VOTARY_URL, WEBHOOK_SECRETS = '', TRUSTED_PROXY, HOST, PORT } = process.env;
if (!VOTARY_TOKEN) throw new Error('Set VOTARY_TOKEN to a token from "votary token create"');

const site = createSite({
  manager: new VotaryManager({ token: VOTARY_TOKEN, baseUrl: VOTARY_URL ?? 'https://127.0.0.1:8443' }),
  webhookSecrets: readSecrets(WEBHOOK_SECRETS),
  trustedProxy: TRUSTED_PROXY,
});

const server = createServer(site);
server.listen(Number(PORT ?? 3000), HOST ?? '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object')
    process.stdout.write(`The listing site is at http://${address.address}:${address.port}/\n`);
});

/** `<guild_id>=<secret>`, separated by commas: every webhook endpoint has its own secret. */
function readSecrets(text: string): Map<string, string> {
  const secrets = new Map<string, string>();
  for (const entry of text.split(',').filter(Boolean)) {
    const [guildId = '', secret] = entry.split(/=(.*)/s);
    if (!secret) throw new Error('WEBHOOK_SECRETS must be <guild_id>=<secret>, separated by commas');
    secrets.set(guildId.trim(), secret.trim());
  }
  return secrets;
}
