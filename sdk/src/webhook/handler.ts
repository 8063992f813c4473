import { isVotaryError, VotaryError } from '../errors/votary-error.ts';
import { SharedCalls } from '../requests/shared-calls.ts';
import {
  type FastifyReply,
  type FastifyRequest,
  type NodeRequest,
  type NodeResponse,
  readRawBody,
  respond,
} from './delivery.ts';
import type {
  GoalReachedEvent,
  RewardGrantedEvent,
  SampleEvent,
  VoteAvailableEvent,
  VoteReceivedEvent,
  VoteVoidedEvent,
  WebhookEvent,
  WebhookTestEvent,
} from './event.ts';
import { REFUSALS, type WebhookRefusalReason } from './refusal.ts';
import { readSecrets } from './secret.ts';
import {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookSecret,
  type WebhookVerification,
} from './verify.ts';

export type WebhookHandlerOptions = VerifyWebhookOptions & {
  /** The secret of the endpoint, or several while it is rotated. */
  secret: WebhookSecret;
  /**
   * If one of these callbacks throws or rejects, the response is 500 and the service delivers the event again later. If it
   * is a `VotaryError` with `retryAfter`, such as RATE_LIMITED, the response is 503 with that time as `Retry-After`.
   */
  onVote?: (event: VoteReceivedEvent) => unknown;
  onVoteAvailable?: (event: VoteAvailableEvent) => unknown;
  onReward?: (event: RewardGrantedEvent) => unknown;
  onVoteVoided?: (event: VoteVoidedEvent) => unknown;
  onGoalReached?: (event: GoalReachedEvent) => unknown;
  /** Tests of the endpoint, and samples of the other events: those never reach the callbacks above. */
  onTest?: (event: WebhookTestEvent | SampleEvent) => unknown;
  /**
   * Called with the id of each event before it is handled. Return true if it was handled before: it is then only
   * acknowledged with 204. Record the id when your callback is done, in the same transaction as the reward.
   *
   * Without it, this handler only prevents two runs at the same time: deliveries of one event that overlap in this
   * process share one run and its response. A delivery that arrives after the run has ended, after a restart, or to
   * another process, runs your callback again unless `seen` knows its id. Several processes need a shared store.
   */
  seen?: (eventId: string) => boolean | Promise<boolean>;
  /**
   * Called with each error that your callbacks throw, and with a `VotaryError` for each rejected delivery. By default, the
   * errors of your callbacks are printed to the console.
   */
  onError?: (error: unknown) => unknown;
};

/** Works with `http.createServer`, Express routes and Fastify routes. It never rejects and responds once. */
export type WebhookHandler = (
  request: NodeRequest | FastifyRequest,
  response: NodeResponse | FastifyReply,
) => Promise<void>;

/** The status of each rejection. 500 means a mistake in the receiver; the service will deliver the event again. */
const REFUSAL_STATUS: Record<WebhookRefusalReason, number> = {
  MISSING_HEADERS: 400,
  INVALID_TIMESTAMP: 400,
  BODY_CUT_OFF: 400,
  BODY_TOO_LARGE: 400,
  INVALID_PAYLOAD: 400,
  TIMESTAMP_TOO_OLD: 401,
  TIMESTAMP_TOO_NEW: 401,
  MALFORMED_SIGNATURE: 401,
  SIGNATURE_MISMATCH: 401,
  INVALID_SECRET: 500,
  BODY_NOT_RAW: 500,
};

/**
 * Creates a handler that verifies each delivery and passes its event to your callback. It responds with 204 when the
 * callback is done, 400 or 401 if the delivery is rejected, 503 if your callback has to wait, and 500 if it fails.
 *
 *   createServer(webhookHandler({ secret, onVote: ({ data }) => reward(data.userId) })).listen(3000);
 */
export function webhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  if (!readSecrets(options?.secret)) throw new VotaryError('INVALID_ARGUMENT', REFUSALS.INVALID_SECRET);
  // The sender times out after 15 seconds and delivers again, maybe while the first delivery is still being handled.
  const running = new SharedCalls<Problem | undefined>();
  const receive = async (request: NodeRequest | FastifyRequest): Promise<Problem | undefined> => {
    const verification = await verify(request, options);
    if (!verification.valid) return report(refusal(verification), options);
    const { event } = verification;
    return running.join(event.id, undefined, () => run(event, options));
  };
  return async (request, response) => {
    const problem = await receive(request).catch((error) => report(failure(error), options));
    try {
      if (problem) refuse(response, problem);
      else respond(response, 204);
    } catch {
      // The connection is closed. The service treats this as a failure and delivers again.
    }
  };
}

/** Why the response is not 204. `error` is what the user's code threw, `retryAfter` when to deliver again, in seconds. */
type Problem = { status: number; code: string; message: string; error?: unknown; retryAfter?: number };

function refuse(response: NodeResponse | FastifyReply, { status, code, message, retryAfter }: Problem): void {
  respond(response, status, { ok: false, error: code, message }, retryAfter);
}

async function verify(
  request: NodeRequest | FastifyRequest,
  options: WebhookHandlerOptions,
): Promise<WebhookVerification> {
  const raw = await readRawBody(request);
  if (!raw.read) return { valid: false, reason: raw.reason, message: REFUSALS[raw.reason] };
  return verifyWebhook(raw.body, request.headers, options.secret, options);
}

/** Handles an event unless `seen` knows it. Errors are reported here, so once for all deliveries that share this run. */
async function run(event: WebhookEvent, options: WebhookHandlerOptions): Promise<Problem | undefined> {
  try {
    if (!(await options.seen?.(event.id))) await handle(event, options);
    return undefined;
  } catch (error) {
    return report(failure(error), options);
  }
}

/** Events without a callback are acknowledged too, because retrying them would not help. */
async function handle(event: WebhookEvent, options: WebhookHandlerOptions): Promise<void> {
  if (isTest(event)) return void (await options.onTest?.(event));
  if (event.type === 'vote_received') await options.onVote?.(event);
  if (event.type === 'vote_available') await options.onVoteAvailable?.(event);
  if (event.type === 'reward_granted') await options.onReward?.(event);
  if (event.type === 'vote_voided') await options.onVoteVoided?.(event);
  if (event.type === 'goal_reached') await options.onGoalReached?.(event);
}

function isTest(event: WebhookEvent): event is WebhookTestEvent | SampleEvent {
  if (event.type === 'unknown') return false;
  return event.type === 'webhook_test' || event.data.test === true;
}

function refusal({ reason, message }: { reason: WebhookRefusalReason; message: string }): Problem {
  return { status: REFUSAL_STATUS[reason], code: reason, message };
}

/** The response does not contain the error, which may contain secrets. */
function failure(error: unknown): Problem {
  if (isVotaryError(error) && error.retryAfter) {
    const retryAfter = Math.ceil(error.retryAfter);
    const message = `The receiver cannot handle this event before ${retryAfter} seconds have passed.`;
    return { status: 503, code: 'TRY_AGAIN_LATER', message, error, retryAfter };
  }
  const message = 'The receiver failed to handle this event. See its log for the reason.';
  return { status: 500, code: 'HANDLER_FAILED', message, error };
}

/** Rejected deliveries are not printed by default, because anyone can cause any number of them. */
function report(problem: Problem, { onError }: WebhookHandlerOptions): Problem {
  const { status, code, message, error } = problem;
  try {
    if (onError) onError(error ?? new VotaryError(code, message, { status }));
    else if (error !== undefined) console.error('A Votary webhook could not be handled:', error);
  } catch {
    // A failing logger must not prevent the response.
  }
  return problem;
}
