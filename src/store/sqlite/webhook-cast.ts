import type { Vote } from '../../domain/vote.ts';
import { planVoteEvents, type Subscription } from '../vote-events.ts';
import type { Connection } from './connection.ts';

/** Writes what a vote causes for the guild's endpoints; called inside the vote's own transaction. */
export function createEventWriter(db: Connection): (vote: Vote, votesThisMonth: number) => void {
  // The primary key of webhook_endpoints: all that a guild without endpoints pays.
  const subscriptions = db.prepare<[string], Subscription>(
    'SELECT endpoint_id, events FROM webhook_endpoints WHERE guild_id = ?',
  );
  const addEvent = db.prepare(
    `INSERT INTO webhook_events (guild_id, event_id, type, occurs_at, body) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const addDelivery = db.prepare(
    `INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at)
     VALUES (?, ?, ?, 'pending', ?) ON CONFLICT DO NOTHING`,
  );
  return (vote, votesThisMonth) => {
    const asked = subscriptions.all(vote.guildId);
    for (const { event, endpointIds } of planVoteEvents(vote, votesThisMonth, asked)) {
      const { guildId, eventId, type, occursAt, body } = event;
      addEvent.run(guildId, eventId, type, occursAt, body);
      for (const endpointId of endpointIds) addDelivery.run(guildId, eventId, endpointId, occursAt);
    }
  };
}
