/**
 * Discord's channel webhooks, on this machine: the limits on embeds and mentions, and the rate limit, as Discord
 * enforces them. Invalid messages get a 400 with a reason.
 *
 *   const channel = await startDiscordChannel();
 *   openFixture({ discordApi: channel.api });
 */
import assert from 'node:assert/strict';
import { SUBSCRIBABLE_EVENTS } from '../../../src/domain/webhooks/event.ts';
import type { EndpointInput } from '../../../src/store/webhooks/admin.ts';
import { addGuild, voteOf } from '../../store/fixtures.ts';
import { type Fixture, openFixture } from '../fixture.ts';
import { startReceiver } from '../receiver.ts';

export type ChannelEmbed = {
  title?: string;
  url?: string;
  description?: string;
  color?: number;
  timestamp?: string;
  fields?: { name: string; value: string; inline?: boolean }[];
  footer?: { text: string };
};

export type DiscordChannel = {
  /** The base URL of the API. */
  api: string;
  /** The URL that Discord shows to users. */
  url: string;
  messages: ChannelEmbed[];
  requests: number;
  paths: string[];
  /** Responds to this many requests with 429 first. */
  limited: { times: number; retryAfter: number };
  /** The status of every response, if set. */
  status: number | null;
  headers: Record<string, string>;
};

export const CHANNEL_ID = '400000000000000001';
export const CHANNEL_TOKEN = 'aB3_-'.repeat(13).padEnd(68, 'x');
const LIMITS = {
  title: 256,
  description: 4096,
  fields: 25,
  name: 256,
  value: 1024,
  footer: 2048,
  total: 6000,
};

export async function startDiscordChannel(): Promise<DiscordChannel> {
  const receiver = await startReceiver();
  const channel: DiscordChannel = {
    api: receiver.url.replace('/hook', '/api/v10'),
    url: `https://discord.com/api/webhooks/${CHANNEL_ID}/${CHANNEL_TOKEN}`,
    messages: [],
    requests: 0,
    paths: [],
    limited: { times: 0, retryAfter: 0 },
    status: null,
    headers: {},
  };
  receiver.answer = ({ body, path }, response) => {
    channel.requests += 1;
    channel.paths.push(path);
    const answer = (status: number, json: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...channel.headers })
        .end(JSON.stringify(json));
    if (channel.status !== null) return answer(channel.status, { message: 'An error', code: 0 });
    if (channel.limited.times > 0) {
      channel.limited.times -= 1;
      const { retryAfter } = channel.limited;
      return answer(429, { message: 'You are being rate limited.', retry_after: retryAfter, global: false });
    }
    const { pathname } = new URL(path, 'http://discord.invalid');
    if (pathname !== `/api/v10/webhooks/${CHANNEL_ID}/${CHANNEL_TOKEN}`) {
      return answer(404, { message: 'Unknown Webhook', code: 10_015 });
    }
    const fault = findFault(JSON.parse(body));
    if (fault !== undefined)
      return answer(400, { message: 'Invalid Form Body', code: 50_035, errors: fault });
    channel.messages.push(...JSON.parse(body).embeds);
    return answer(200, { id: '1', type: 0 });
  };
  return channel;
}

type Message = { content?: string; embeds?: ChannelEmbed[]; allowed_mentions?: { parse?: unknown[] } };

function findFault({ content, embeds, allowed_mentions: mentions }: Message): string | undefined {
  if (content !== undefined) return 'this channel expects embeds only';
  if (!Array.isArray(mentions?.parse) || mentions.parse.length > 0) return 'mentions are not switched off';
  if (!Array.isArray(embeds) || embeds.length < 1 || embeds.length > 10) return 'embeds: 1 to 10';
  const total = embeds.reduce((sum, embed) => sum + lengthOf(embed), 0);
  if (total > LIMITS.total) return `embeds: ${total} characters`;
  return embeds.map(embedFault).find((fault) => fault !== undefined);
}

function embedFault({ title = '', description = '', fields = [], footer, url, timestamp }: ChannelEmbed) {
  if (title.length > LIMITS.title) return 'title';
  if (description.length > LIMITS.description) return 'description';
  if (title === '' && description === '') return 'empty embed';
  if (fields.length > LIMITS.fields) return 'fields';
  if (fields.some(({ name }) => name.trim() === '' || name.length > LIMITS.name)) return 'field name';
  if (fields.some(({ value }) => value.trim() === '' || value.length > LIMITS.value)) return 'field value';
  if ((footer?.text.length ?? 0) > LIMITS.footer) return 'footer';
  if (url !== undefined && !/^https?:\/\//.test(url)) return 'url';
  if (timestamp !== undefined && Number.isNaN(Date.parse(timestamp))) return 'timestamp';
  return undefined;
}

function lengthOf({ title = '', description = '', fields = [], footer }: ChannelEmbed): number {
  const texts = [
    title,
    description,
    footer?.text ?? '',
    ...fields.flatMap(({ name, value }) => [name, value]),
  ];
  return texts.join('').length;
}

/** What Discord's markdown would render, apart from plain characters: escaped punctuation is removed first. */
export function activeMarkdown(text: string): string[] {
  const plain = text.replace(/\\[!-/:-@[-`{-~]/g, '');
  return plain.match(/https?:\/\/\S+|@(?:everyone|here)|<[@#:a/t][^>]*>|[*_`~|[\]>#]/g) ?? [];
}

export const SITE = 'https://votes.example.org';
let voters = 0;

/** A channel that a guild has added, with a worker to send to it. */
export async function openChannel(input: Partial<EndpointInput> = {}, name = 'Northwind') {
  const channel = await startDiscordChannel();
  const fixture = await openFixture({ discordApi: channel.api, siteUrl: SITE });
  const guildId = await addGuild(fixture.store, name);
  const given = { kind: 'discord', url: channel.url, events: SUBSCRIBABLE_EVENTS, ...input } as const;
  const added = await fixture.endpoints.addEndpoint(guildId, given, null);
  assert.ok(added.ok);
  return { channel, fixture, guildId, endpoint: added.endpoint, endpointId: added.endpoint.endpointId };
}

/** Another user's vote under a name. */
export async function vote(
  { store, clock }: Fixture,
  guildId: string,
  externalId: string | null,
): Promise<string> {
  voters += 1;
  const userId = String(330_000_000_000_000_000n + BigInt(voters));
  const cast = await store.votes.cast(voteOf(guildId, { userId, castAt: clock(), externalId }));
  assert.equal(cast.kind, 'accepted');
  return userId;
}
