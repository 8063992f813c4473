/**
 * POST requests of the management API: a repeated `Idempotency-Key` gets the stored response instead of a second effect.
 *
 *   return runOnce(deps, request, reply, async () => ({ status: 201, body }));
 *
 * Only successful responses are stored. A request that failed changed nothing, so its key counts as unused.
 */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { responseContext, seal, unseal } from '../../domain/secrets.ts';
import type { KeyedRequest, Reservation, StoredResponse } from '../../store/stored-responses.ts';
import { ApiError } from '../errors/api-error.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import { authorizeAgain, callerToken } from './access.ts';
import type { ManageDeps } from './endpoint.ts';

/** What a handler returns: the status of its success, and the body. */
export type Success<Status extends number, Body> = { status: Status; body: Body };

type Rendered = { status: number; text: string };

type Deps = Pick<ManageDeps, 'store' | 'secrets' | 'clock' | 'pause'>;

/** How long a request waits for another one with the same key, in any process. */
const WAIT_STEP_MS = 25;
const MAX_WAIT_STEPS = 200;

/** Returns the body, and makes the reply send the status and the stored text. */
export async function runOnce<Body>(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  handle: () => Promise<Success<number, Body>>,
): Promise<Body> {
  const { status, text } = await renderOnce(deps, request, reply, async () => render(await handle()));
  // The text itself, so that a repeated request gets the identical body.
  reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer(() => text);
  return JSON.parse(text);
}

async function renderOnce(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  handle: () => Promise<Rendered>,
): Promise<Rendered> {
  const key = readIdempotencyKey(request);
  if (key === null) return handle();
  const keyed = { tokenId: callerToken(request).tokenId, key, requestHash: requestHash(request) };
  const reserved = await reserve(deps, keyed, () => authorizeAgain(request, deps));
  if (!('sealedBody' in reserved)) return processOnce(deps, request, reserved, handle);
  reply.header('idempotent-replayed', 'true');
  return reveal(deps, keyed, reserved);
}

async function processOnce(
  { store, secrets }: Deps,
  { log }: FastifyRequest,
  reservation: Reservation,
  handle: () => Promise<Rendered>,
): Promise<Rendered> {
  const rendered = await handle().catch(async (error: unknown) => {
    await store.responses.release(reservation).catch(() => undefined);
    throw error;
  });
  const context = responseContext(reservation.tokenId, reservation.key);
  const sealedBody = seal(rendered.text, context, secrets.sealKey);
  try {
    await store.responses.complete(reservation, { status: rendered.status, sealedBody });
  } catch (error) {
    // The request took effect, so the client must learn that. Until the reservation ends, its key cannot be repeated.
    log.warn({ err: error }, 'the response to an Idempotency-Key was not stored');
  }
  return rendered;
}

async function reserve(
  { store, clock, pause = sleep }: Deps,
  request: Omit<KeyedRequest, 'now'>,
  onWaited: () => Promise<void>,
): Promise<Reservation | StoredResponse> {
  for (let step = 0; step < MAX_WAIT_STEPS; step += 1) {
    const outcome = await store.responses.reserve({ ...request, now: clock() });
    switch (outcome.kind) {
      case 'reserved':
        return outcome.reservation;
      case 'stored':
        return outcome.response;
      case 'mismatch':
        throw new ApiError('IDEMPOTENCY_MISMATCH');
      case 'busy':
        await pause(WAIT_STEP_MS);
        await onWaited();
    }
  }
  throw new ApiError('IDEMPOTENCY_IN_PROGRESS');
}

/** The validated body, so that unknown fields and the order of fields make no difference. */
function requestHash({ method, routeOptions, params, body }: FastifyRequest): string {
  return hash('sha256', JSON.stringify([method, routeOptions.url, params, body ?? null]), 'hex');
}

function render({ status, body }: Success<number, unknown>): Rendered {
  return { status, text: JSON.stringify(body) };
}

function reveal(
  { secrets }: Deps,
  { tokenId, key }: Pick<KeyedRequest, 'tokenId' | 'key'>,
  { status, sealedBody }: StoredResponse,
): Rendered {
  const text = unseal(sealedBody, responseContext(tokenId, key), secrets.sealKey);
  if (text === undefined) throw new Error('a stored response was sealed with another master secret');
  return { status, text };
}
