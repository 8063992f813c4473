/**
 * A receiver of top.gg's v1 webhooks, written from their wire format: what it does not accept, the receivers of
 * top.gg's libraries do not accept either.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Received } from '../receiver.ts';

const TOLERANCE_SECONDS = 30;
const SNOWFLAKE = /^\d{17,21}$/;

type Party = { id: string; platform_id: string };

export type TopggPayload = {
  type: string;
  data: Record<string, unknown> & {
    project: Party & { type: string; platform: string };
    user: Party & { name: string; avatar_url: string };
  };
};

/** Throws unless the message is signed with the secret at about `now`, and has ids and URLs that can be parsed. */
export function verifyTopggV1({ headers, body }: Received, secret: string, now: number): TopggPayload {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-topgg-signature'] ?? '');
  assert.ok(match, `signature: ${headers['x-topgg-signature']}`);
  const [, timestamp = '', signature] = match;
  assert.ok(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS, 'the signature has expired');
  assert.equal(signature, createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'));
  assert.ok(headers['x-topgg-trace'], 'there is no trace');
  assert.equal(headers['content-type'], 'application/json');
  const payload: TopggPayload = JSON.parse(body);
  const { project, user, id } = payload.data;
  for (const one of [project.id, project.platform_id, user.id, user.platform_id])
    assert.match(one, SNOWFLAKE);
  if (payload.type === 'vote.create') assert.match(String(id), SNOWFLAKE);
  assert.ok(URL.canParse(user.avatar_url));
  return payload;
}
