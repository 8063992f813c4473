/** Deliveries like those of a Votary service, signed by the independent package `standardwebhooks`. */
import { Webhook } from 'standardwebhooks';

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const OTHER_SECRET = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
export const NOW = Date.parse('2026-11-15T12:00:00.000Z');
export const ID = 'msg_2a1';

export const VOTE_BODY = JSON.stringify({
  type: 'vote_received',
  timestamp: '2026-11-15T11:59:59.000Z',
  data: {
    vote_id: 'v1',
    guild_id: '100000000000000001',
    user_id: '200000000000000001',
    external_id: 'Élodie 🎮',
    timestamp: '2026-11-15T11:59:58.765Z',
    is_doubled: true,
    next_vote_at: '2026-11-15T12:59:58.765Z',
    votes_this_month: 12,
  },
});

export function bodyOf(type: string, data: unknown): string {
  return JSON.stringify({ type, timestamp: '2026-11-15T11:59:59.000Z', data });
}

export type Signed = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

export function sign(body: string, { secret = SECRET, at = NOW, id = ID } = {}): Signed {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at), body),
  };
}
