/**
 * A Votifier endpoint can claim the votes that it delivers, as a consumer: then nobody else who claims as that consumer
 * rewards them again, and a vote that was rewarded already is not delivered.
 */
import type { Instant } from '../domain/clock.ts';
import { voteId } from '../domain/votes/vote.ts';
import { DeliveryError } from '../domain/webhooks/failure.ts';
import { eventData } from '../domain/webhooks/payload.ts';
import type { Store } from '../store/store.ts';
import type { ClaimedDelivery } from '../store/webhooks/store.ts';

type DeliveredClaim = { guildId: string; consumer: string; voteId: string; claimedAt: Instant };

/**
 * Claims the vote in the name of the endpoint, which can therefore deliver it again. Throws a `DeliveryError` if somebody
 * else has claimed it, or if it was voided.
 */
export async function claimDelivered(
  store: Pick<Store, 'claims' | 'guilds'>,
  { guildId, endpointId, body }: ClaimedDelivery,
  consumer: string,
  now: Instant,
): Promise<DeliveredClaim> {
  const guild = await store.guilds.find(guildId);
  const data = eventData(body);
  const [userId, castAt] = [String(data.user_id), Date.parse(String(data.timestamp))];
  if (!guild) throw new DeliveryError('ALREADY_CLAIMED');
  const result = await store.claims.claim({
    ...{ guildId, consumer, now },
    identity: { externalId: String(data.external_id) },
    playerNames: guild.playerNames,
    oneRewardPerName: guild.oneRewardPerName,
    window: { after: castAt - 1, until: castAt },
    only: { castAt, userId, heldBy: endpointId },
    idempotency: null,
    render: ({ vote }) => String(vote?.claimedAt ?? ''),
  });
  if (result.kind === 'too-many-consumers') throw new DeliveryError('TOO_MANY_CONSUMERS');
  if (result.kind !== 'done' || result.body === '') throw new DeliveryError('ALREADY_CLAIMED');
  const id = voteId({ guildId, userId, castAt });
  return { guildId, consumer, voteId: id, claimedAt: Number(result.body) };
}
