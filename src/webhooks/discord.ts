/** Posts events in Discord channels, through the webhook URL of the channel. */
import { DISCORD_API, discordMessage, type MessageContext, postUrl } from '../domain/webhooks/discord.ts';
import type { WebhookEventType } from '../domain/webhooks/event.ts';
import type { FailureCode } from '../domain/webhooks/failure-messages.ts';
import { createSend, type SendDeps, type SendResult } from './send.ts';

type ChannelMessage = {
  url: string;
  token: string;
  type: WebhookEventType;
  body: string;
  context: MessageContext;
};

export type SendToChannel = (message: ChannelMessage, stop?: AbortSignal) => Promise<SendResult>;

/**
 * Posts the message of an event in a Discord channel and interprets Discord's response. `api`: a different base URL,
 * for tests; it may be on this machine, because the operator sets it.
 */
export function createSendToChannel(deps: SendDeps, api: string | null): SendToChannel {
  const rule = api === null ? deps.rule : { ...deps.rule, allowsLoopback: true };
  const send = createSend({ ...deps, rule });
  return async ({ url, token, type, body, context }, stop) => {
    const target = postUrl({ url, token }, api ?? DISCORD_API);
    const message = { url: target, headers: {}, body: discordMessage(type, body, context) };
    return explainAnswer(await send(message, stop));
  };
}

const TOO_MANY_REQUESTS = 429;

const FAILURES: Record<number, FailureCode> = {
  400: 'DISCORD_REJECTED',
  401: 'DISCORD_NO_WEBHOOK',
  404: 'DISCORD_NO_WEBHOOK',
  [TOO_MANY_REQUESTS]: 'DISCORD_RATE_LIMITED',
};

function explainAnswer(result: SendResult): SendResult {
  const { status, retryAfter, answer } = result;
  const failure = status === null ? undefined : FAILURES[status];
  if (failure === undefined) return result;
  const seconds = status === TOO_MANY_REQUESTS ? retrySeconds(answer) : undefined;
  return { ...result, error: failure, retryAfter: seconds ?? retryAfter };
}

/** The body has fractions of seconds; rounding up avoids retrying too early. */
function retrySeconds(answer: string): string | undefined {
  const seconds = /"retry_after":\s*(\d{1,9}(?:\.\d+)?)/.exec(answer)?.[1];
  return seconds === undefined ? undefined : String(Math.ceil(Number(seconds)));
}
