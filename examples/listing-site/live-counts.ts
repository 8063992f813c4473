/**
 * The votes of this month by community. Votary sends each vote to `/webhooks/<guild_id>`, wherever it was cast: on this
 * site, on Votary's own voting page, or in Discord. Open pages get the new count through `/events`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type WebhookHandler, webhookHandler } from '@votary/sdk';
import { HttpError } from './http.ts';

export type LiveCounts = {
  /** Null until the first webhook of the month. */
  of(guildId: string): number | null;
  receive(guildId: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Sends every new count to this response until it is closed. */
  follow(response: ServerResponse): void;
};

/** `at`: when the last counted vote was cast. */
type Count = { votes: number; at: Date };

/** How many handled events are remembered, because one can be delivered again. */
const REMEMBERED_EVENTS = 10_000;

export function createLiveCounts(secrets: ReadonlyMap<string, string>): LiveCounts {
  // A real site keeps both in its database: here they are lost when it is restarted.
  const counts = new Map<string, Count>();
  const handled = new Set<string>();
  const followers = new Set<ServerResponse>();

  const set = (guildId: string, count: Count) => {
    counts.set(guildId, count);
    const message = `data: ${JSON.stringify({ guildId, votes: count.votes })}\n\n`;
    for (const follower of followers) follower.write(message);
  };

  const handle = (guildId: string, event: { id: string; data: { guildId: string } }, change: () => void) => {
    // The secret of one endpoint must not change the count of another community.
    if (event.data.guildId !== guildId) throw new Error(`an event of ${event.data.guildId} at ${guildId}`);
    change();
    handled.add(event.id);
    const [oldest] = handled;
    if (oldest !== undefined && handled.size > REMEMBERED_EVENTS) handled.delete(oldest);
  };

  const createHandler = (guildId: string, secret: string): WebhookHandler =>
    webhookHandler({
      secret,
      seen: (id) => handled.has(id),
      onVote: (event) =>
        handle(guildId, event, () => {
          const { timestamp: at, votesThisMonth: votes } = event.data;
          const current = counts.get(guildId);
          // Events can arrive in another order than the votes were cast.
          if (!current || at >= current.at) set(guildId, { votes, at });
        }),
      onVoteVoided: (event) =>
        handle(guildId, event, () => {
          const current = counts.get(guildId);
          if (!current || monthOf(current.at) !== monthOf(event.data.timestamp)) return;
          set(guildId, { ...current, votes: Math.max(0, current.votes - 1) });
        }),
    });
  const handlers = new Map(
    [...secrets].map(([guildId, secret]) => [guildId, createHandler(guildId, secret)]),
  );

  return {
    of: (guildId) => {
      const count = counts.get(guildId);
      return count && monthOf(count.at) === monthOf(new Date()) ? count.votes : null;
    },
    receive: async (guildId, request, response) => {
      const handler = handlers.get(guildId);
      if (!handler) throw new HttpError(404, 'There is no webhook for this community.');
      await handler(request, response);
    },
    follow: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.flushHeaders();
      followers.add(response);
      response.on('close', () => followers.delete(response));
    },
  };
}

/** `YYYY-MM`, UTC. */
function monthOf(date: Date): string {
  return date.toISOString().slice(0, 7);
}
