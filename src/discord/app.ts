/**
 * The Discord app of a running service: what the interactions endpoint needs, and how reminders are sent and roles
 * changed.
 *
 *   const { endpoint, sendReminder, changeRole } = openDiscordApp(config, { clock, logger });
 *   buildServer({ discordApp: endpoint, … });
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type Clock, SECOND_MS } from '../domain/clock.ts';
import { originOf } from '../domain/host.ts';
import { chooseLocale } from '../domain/locale.ts';
import { voteUrl } from '../domain/votes/vote-link.ts';
import type { SendReminder } from '../reminders/worker.ts';
import type { ChangeRole } from '../voter-roles/worker.ts';
import { type Action, type CommandDeps, createCommands } from './commands.ts';
import { createReminderSender } from './direct-message.ts';
import {
  type AppMessage,
  answer,
  createVerifier,
  EPHEMERAL,
  type Interaction,
  linkButton,
  MAX_AGE_MS,
  readInteraction,
  type SignedBody,
} from './interaction.ts';
import { createRoleChanger } from './member-role.ts';
import { appMessages, type InteractionError } from './messages.ts';
import { createDiscordRest, type DiscordRest } from './rest.ts';
import { discordUserAgent } from './user-agent.ts';

export type DiscordEndpoint = Pick<DiscordAppDeps, 'publicKey' | 'rest' | 'hasReminders' | 'deferAfterMs'>;

export const NO_DISCORD_APP: DiscordEndpoint = { publicKey: null, rest: null, hasReminders: false };

/** `sendReminder` is null if reminders cannot be sent, and `changeRole` without a bot. */
export type DiscordApp = {
  endpoint: DiscordEndpoint;
  sendReminder: SendReminder | null;
  changeRole: ChangeRole | null;
};

export type DiscordSettings = Pick<Config, 'discordApp' | 'discordApi' | 'publicUrl'>;

export function openDiscordApp(
  config: DiscordSettings,
  { clock, logger }: { clock: Clock; logger: Logger },
): DiscordApp {
  const { publicKey, botToken } = config.discordApp;
  if (publicKey === null) {
    logger.info('the Discord app is disabled: set VOTARY_DISCORD_PUBLIC_KEY');
    return { endpoint: NO_DISCORD_APP, sendReminder: null, changeRole: null };
  }
  const userAgent = discordUserAgent(config);
  const rest = createDiscordRest({ api: config.discordApi, botToken, userAgent, clock });
  const sendReminder = openReminders(config, rest, logger);
  const changeRole = botToken === null ? null : createRoleChanger(rest);
  return { endpoint: { publicKey, rest, hasReminders: sendReminder !== null }, sendReminder, changeRole };
}

/** Reminders are sent by the bot and contain a link to the site. */
function openReminders(config: DiscordSettings, rest: DiscordRest, logger: Logger): SendReminder | null {
  const missing = [
    ...(config.discordApp.botToken === null ? ['VOTARY_DISCORD_BOT_TOKEN'] : []),
    ...(config.publicUrl === null ? ['VOTARY_PUBLIC_URL'] : []),
  ];
  if (missing.length === 0 && config.publicUrl !== null) return createReminderSender(rest, config.publicUrl);
  logger.info(`the Discord app does not send reminders: set ${missing.join(' and ')}`);
  return null;
}

export const INTERACTIONS_PATH = '/discord/interactions';

export type DiscordAppDeps = CommandDeps & {
  /** Null: the app is not configured. */
  publicKey: string | null;
  rest: DiscordRest | null;
  /** The public URL. If unset, the URL that Discord called. */
  publicUrl?: string | null;
  logger: Logger;
  /** Default: DEFER_AFTER_MS. */
  deferAfterMs?: number;
};

/** Interactions take a few kilobytes. */
const MAX_BODY_BYTES = 64 * 1024;

/** Discord waits three seconds, including network latency in both directions. */
const DEFER_AFTER_MS = 2 * SECOND_MS;

const ERROR_STATUS = {
  DISCORD_NOT_CONFIGURED: 404,
  INVALID_SIGNATURE: 401,
  BAD_INTERACTION: 400,
} as const satisfies Record<InteractionError, number>;

/** Response types of Discord: pong, message, and "thinking" until the message follows. */
const PONG = { type: 1 };
const DEFERRED = { type: 5, data: { flags: EPHEMERAL } };
const messageOf = (data: AppMessage) => ({ type: 4, data });

/** `replayed`: the signature was used before, and nothing was done. */
type Outcome = AppMessage | 'replayed';

/**
 * `POST /discord/interactions`: Discord calls it when a user runs a command or presses a button, so the app needs no
 * permanent connection. The first response is sent within three seconds, whatever the database does.
 */
export async function discordApp(app: FastifyInstance, deps: DiscordAppDeps): Promise<void> {
  const { publicKey, store, clock, rest, logger, publicUrl, deferAfterMs = DEFER_AFTER_MS } = deps;
  const verify = publicKey === null ? null : createVerifier(publicKey);
  const run = createCommands(deps);
  // With SQLite, used signatures are only known to the process, so what was signed before its start is refused. Discord
  // gives up after three seconds: nothing older than the process can be waiting for a response.
  const earliest = Math.floor(clock() / SECOND_MS);
  const following = new Set<Promise<void>>();
  app.addHook('onClose', async () => void (await Promise.all(following)));
  app.removeAllContentTypeParsers();
  // The signature covers the exact bytes, whatever their Content-Type.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  );

  /** True for the first use of a signature only, across processes that share a database. */
  async function isFirstUse({ signature }: SignedBody): Promise<boolean> {
    const limit = { requests: 1, windowMs: 2 * MAX_AGE_MS };
    const { hits } = await store.rates.hit(`discord:${signature.toLowerCase()}`, limit, clock());
    return hits === 1;
  }

  /** Failures are logged, and reported to the user without details. */
  async function execute(interaction: Action, siteUrl: string): Promise<AppMessage> {
    try {
      return await run(interaction, siteUrl);
    } catch (error) {
      logger.error({ err: error }, 'discord: an interaction failed');
      const { failed, buttons } = appMessages[interaction.locale];
      const { guildId } = interaction;
      return answer(
        failed,
        guildId === null ? [] : [linkButton(buttons.votePage, voteUrl(siteUrl, guildId))],
      );
    }
  }

  async function runOnce(isFirst: Promise<boolean>, interaction: Action, siteUrl: string): Promise<Outcome> {
    return (await isFirst) ? execute(interaction, siteUrl) : 'replayed';
  }

  function followUp(interaction: Action, message: Promise<Outcome>): void {
    const sent = message
      .then((later) => (later === 'replayed' ? undefined : rest?.editResponse(interaction, later)))
      .catch((error: unknown) => logger.error({ err: error }, 'discord: a deferred response was not sent'))
      .finally(() => following.delete(sent));
    following.add(sent);
  }

  async function respond(
    signed: SignedBody,
    interaction: Interaction,
    siteUrl: string,
  ): Promise<object | 'replayed'> {
    const isFirst = isFirstUse(signed);
    const timeout = new AbortController();
    const deadline = pause(deferAfterMs, 'late' as const, { signal: timeout.signal }).catch(
      () => 'late' as const,
    );
    try {
      if (interaction.kind === 'ping') return (await Promise.race([isFirst, deadline])) ? PONG : 'replayed';
      const message = runOnce(isFirst, interaction, siteUrl);
      const outcome = await Promise.race([message, deadline]);
      if (outcome === 'replayed') return outcome;
      if (outcome !== 'late') return messageOf(outcome);
      followUp(interaction, message);
      return DEFERRED;
    } finally {
      timeout.abort();
    }
  }

  app.post(INTERACTIONS_PATH, async (request, reply) => {
    if (!verify) return refuse(request, reply, 'DISCORD_NOT_CONFIGURED');
    const signed = signedBodyOf(request);
    if (!verify(signed, clock()) || Number(signed.timestamp) < earliest)
      return refuse(request, reply, 'INVALID_SIGNATURE');
    const interaction = readInteraction(signed.body);
    if (!interaction) return refuse(request, reply, 'BAD_INTERACTION');
    const response = await respond(signed, interaction, publicUrl ?? originOf(request.host));
    if (response === 'replayed') return refuse(request, reply, 'INVALID_SIGNATURE');
    return reply.header('cache-control', 'no-store').send(response);
  });
}

function signedBodyOf({ headers, body }: FastifyRequest): SignedBody {
  return {
    signature: String(headers['x-signature-ed25519'] ?? ''),
    timestamp: String(headers['x-signature-timestamp'] ?? ''),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  };
}

function refuse(request: FastifyRequest, reply: FastifyReply, error: InteractionError): FastifyReply {
  const locale = chooseLocale({ acceptLanguage: request.headers['accept-language'] });
  const message = appMessages[locale].errors[error];
  reply.header('cache-control', 'no-store').header('content-language', locale);
  return reply.code(ERROR_STATUS[error]).send({ ok: false, error, message });
}
