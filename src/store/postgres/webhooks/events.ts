import type { PlannedEvent } from '../../webhooks/events.ts';
import type { Queryable } from '../connection/connection.ts';

const ADD_EVENTS = `
  WITH kept AS (
    INSERT INTO webhook_events (guild_id, event_id, type, occurs_at, body)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
    ON CONFLICT DO NOTHING RETURNING guild_id, event_id, occurs_at
  )
  INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at)
  SELECT guild_id, event_id, endpoint_id, 'pending', occurs_at
  FROM kept JOIN unnest($6::text[], $7::text[], $8::text[]) AS planned (guild_id, event_id, endpoint_id)
    USING (guild_id, event_id)`;

/** Writes the events of votes or claims, and their deliveries, in the transaction of those votes or claims. */
export async function writeEvents(tx: Queryable, plan: readonly PlannedEvent[]): Promise<void> {
  if (plan.length === 0) return;
  const events = plan.map(({ event }) => event);
  const deliveries = plan.flatMap(({ event: { guildId, eventId }, endpointIds }) =>
    endpointIds.map((endpointId) => ({ guildId, eventId, endpointId })),
  );
  const values = [
    events.map((event) => event.guildId),
    events.map((event) => event.eventId),
    events.map((event) => event.type),
    events.map((event) => event.occursAt),
    events.map((event) => event.body),
    deliveries.map((delivery) => delivery.guildId),
    deliveries.map((delivery) => delivery.eventId),
    deliveries.map((delivery) => delivery.endpointId),
  ];
  await tx.query({ name: 'add-events', text: ADD_EVENTS, values });
}
