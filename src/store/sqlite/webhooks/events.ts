import type { PlannedEvent, Subscription } from '../../webhooks/events.ts';
import type { Connection } from '../connection.ts';

type Plan = (subscriptions: readonly Subscription[]) => PlannedEvent[];

/** Writes the events of a vote or a claim, and their deliveries, in the transaction of that vote or claim. */
export function createEventWriter(db: Connection): (guildId: string, plan: Plan) => void {
  // The primary key of webhook_endpoints. For a guild without endpoints this is the only query.
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
  return (guildId, plan) => {
    for (const { event, endpointIds } of plan(subscriptions.all(guildId))) {
      const { eventId, type, occursAt, body } = event;
      addEvent.run(guildId, eventId, type, occursAt, body);
      for (const endpointId of endpointIds) addDelivery.run(guildId, eventId, endpointId, occursAt);
    }
  };
}
