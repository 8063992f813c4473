import type { PlannedEvent } from '../../webhooks/events.ts';
import type { Queryable } from '../connection/connection.ts';

const ADD_EVENTS = `
  WITH kept AS (
    INSERT INTO webhook_events (guild_id, event_id, type, occurs_at, body)
    SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[])
    ON CONFLICT DO NOTHING RETURNING guild_id, event_id, occurs_at
  )
  INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at)
  SELECT guild_id, event_id, endpoint_id, 'pending', occurs_at
  FROM kept JOIN unnest($6::text[], $7::text[]) AS planned (event_id, endpoint_id) USING (event_id)`;

/** Writes the events of a vote or a claim, and their deliveries, in the transaction of that vote or claim. */
export async function writeEvents(
  tx: Queryable,
  guildId: string,
  plan: readonly PlannedEvent[],
): Promise<void> {
  if (plan.length === 0) return;
  const events = plan.map(({ event }) => event);
  const deliveries = plan.flatMap(({ event: { eventId }, endpointIds }) =>
    endpointIds.map((endpointId) => ({ eventId, endpointId })),
  );
  const values = [
    guildId,
    events.map((event) => event.eventId),
    events.map((event) => event.type),
    events.map((event) => event.occursAt),
    events.map((event) => event.body),
    deliveries.map((delivery) => delivery.eventId),
    deliveries.map((delivery) => delivery.endpointId),
  ];
  await tx.query({ name: 'add-events', text: ADD_EVENTS, values });
}
