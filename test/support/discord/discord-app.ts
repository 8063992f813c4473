/**
 * Discord as an app sees it: signs interactions with its own key, and implements the part of the REST API that the app
 * uses, with Discord's limits.
 *
 *   const discord = await startDiscord();
 *   readConfig(discord.env);
 *   app.inject({ method: 'POST', url: '/discord/interactions', ...discord.signed(discord.command('vote', { guildId, userId })) });
 *   discord.messages;                       // what users have received
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { APPLICATION_ID, answerRest, BOT_TOKEN, type DiscordState, faulty } from './discord-rest.ts';

export type Origin = { guildId?: string | null; userId: string; locale?: string };

export type FakeDiscordApp = DiscordState & {
  url: string;
  env: Record<string, string>;
  command(name: string, origin: Origin & { option?: string }): string;
  button(customId: string, origin: Origin): string;
  ping(): string;
  signed(body: string, given?: { at?: number; key?: KeyObject }): SignedRequest;
  close(): Promise<void>;
};

export type SignedRequest = { payload: string; headers: Record<string, string> };

export async function startDiscord(clock: () => number = Date.now): Promise<FakeDiscordApp> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const hexKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  const server = createServer((request, response) => void answer(discord, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  const url = `http://127.0.0.1:${address.port}/api/v10`;
  let interactions = 0;
  const interaction = (type: number, data: unknown, { guildId = null, userId, locale = 'en-US' }: Origin) => {
    interactions += 1;
    const user = { id: userId, username: 'somebody' };
    return JSON.stringify({
      id: String(700000000000000000n + BigInt(interactions)),
      application_id: APPLICATION_ID,
      token: `token-${interactions}`,
      version: 1,
      type,
      data,
      locale,
      ...(guildId === null ? { user } : { guild_id: guildId, member: { user } }),
    });
  };
  const discord: FakeDiscordApp = {
    url,
    env: { VOTARY_DISCORD_PUBLIC_KEY: hexKey, VOTARY_DISCORD_BOT_TOKEN: BOT_TOKEN, VOTARY_DISCORD_API: url },
    applicationId: APPLICATION_ID,
    publicKey: hexKey,
    now: clock,
    servers: new Map(),
    messages: [],
    edits: new Map(),
    requests: [],
    closed: new Set(),
    fault: () => undefined,
    retryAfterSeconds: 3,
    isGlobalLimit: false,
    commands: [],
    endpointUrl: null,
    verifyEndpoint: async () => true,
    command: (name, { option, ...origin }) =>
      interaction(
        2,
        { id: '1', type: 1, name, ...(option ? { options: [{ type: 1, name: option }] } : {}) },
        origin,
      ),
    button: (customId, origin) => interaction(3, { component_type: 2, custom_id: customId }, origin),
    ping: () => JSON.stringify({ id: String(++interactions), application_id: APPLICATION_ID, type: 1 }),
    signed: (body, { at = discord.now(), key = privateKey } = {}) => {
      const timestamp = String(Math.floor(at / 1000));
      const signature = sign(null, Buffer.from(timestamp + body), key).toString('hex');
      return {
        payload: body,
        headers: {
          'content-type': 'application/json',
          'x-signature-ed25519': signature,
          'x-signature-timestamp': timestamp,
        },
      };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return discord;
}

async function answer(
  discord: FakeDiscordApp,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', discord.url);
  const path = pathname.replace('/api/v10', '');
  const sent: unknown = JSON.parse((await text(request)) || '{}');
  const name = `${request.method} ${path}`;
  discord.requests.push(name);
  const fault = discord.fault(name);
  if (fault === 'down') return void response.destroy();
  const isSigned = request.headers.authorization === `Bot ${BOT_TOKEN}`;
  const reply =
    fault && fault !== 'lost' ? faulty(discord, fault) : await answerRest(discord, name, sent, isSigned);
  if (fault === 'lost') return void response.destroy();
  if (reply.status === 204) return void response.writeHead(204, reply.headers).end();
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
  response.end(JSON.stringify(reply.body ?? {}));
}
