import { SharedCalls } from '../shared-calls.ts';
import { VotaryError } from '../votary-error.ts';
import {
  answer,
  type FastifyReply,
  type FastifyRequest,
  type NodeRequest,
  type NodeResponse,
  readRawBody,
} from './delivery.ts';
import type {
  RewardGrantedEvent,
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
  /** A throw or rejection in these answers 500, and the service delivers the event again later. */
  onVote?: (event: VoteReceivedEvent) => unknown;
  onVoteAvailable?: (event: VoteAvailableEvent) => unknown;
  onReward?: (event: RewardGrantedEvent) => unknown;
  onVoteVoided?: (event: VoteVoidedEvent) => unknown;
  onTest?: (event: WebhookTestEvent) => unknown;
  /**
   * Called with the id of each event before it is handled; true when it was handled already. It is then only
   * acknowledged with 204. Record the id when your callback is done, in the same transaction as the reward.
   *
   * Without it, this handler only prevents two runs at the same time: deliveries of one event that overlap in this
   * process share one run and its answer. A delivery that comes after the run has ended, after a restart, or to
   * another process, runs your callback again unless `seen` knows its id. Several processes need a shared store.
   */
  seen?: (eventId: string) => boolean | Promise<boolean>;
  /** Told of each error of yours, and of each refusal as a `VotaryError`. By default yours go to the console. */
  onError?: (error: unknown) => unknown;
};

/** Fits `http.createServer`, an Express route and a Fastify route. It never rejects and answers once. */
export type WebhookHandler = (
  request: NodeRequest | FastifyRequest,
  response: NodeResponse | FastifyReply,
) => Promise<void>;

/** What each refusal is answered with. Those of 500 are the receiver's own faults: the event will come again. */
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
 * A handler that checks each delivery and hands its event to you: 204 when you are done, 400 or 401 for what is
 * not believed, 500 when your code failed.
 *
 *   createServer(webhookHandler({ secret, onVote: ({ data }) => reward(data.userId) })).listen(3000);
 */
export function webhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  if (!readSecrets(options?.secret)) throw new VotaryError('INVALID_ARGUMENT', REFUSALS.INVALID_SECRET);
  // The sender gives up after 15 seconds and delivers again, maybe while the first delivery is still handled.
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
      if (problem)
        answer(response, problem.status, { ok: false, error: problem.code, message: problem.message });
      else answer(response, 204);
    } catch {
      // The connection is gone: the service takes this for a failure and delivers again.
    }
  };
}

/** Why a delivery is not answered with 204. `error` is what your own code threw. */
type Problem = { status: number; code: string; message: string; error?: unknown };

async function verify(
  request: NodeRequest | FastifyRequest,
  options: WebhookHandlerOptions,
): Promise<WebhookVerification> {
  const raw = await readRawBody(request);
  if (!raw.read) return { valid: false, reason: raw.reason, message: REFUSALS[raw.reason] };
  return verifyWebhook(raw.body, request.headers, options.secret, options);
}

/** Handles an event that was not handled yet. A failure is reported here, once for all deliveries that wait for it. */
async function run(event: WebhookEvent, options: WebhookHandlerOptions): Promise<Problem | undefined> {
  try {
    if (!(await options.seen?.(event.id))) await handle(event, options);
    return undefined;
  } catch (error) {
    return report(failure(error), options);
  }
}

/** An event that nobody asked for is acknowledged: sent again, it would not be more welcome. */
async function handle(event: WebhookEvent, options: WebhookHandlerOptions): Promise<void> {
  if (event.type === 'vote_received') await options.onVote?.(event);
  if (event.type === 'vote_available') await options.onVoteAvailable?.(event);
  if (event.type === 'reward_granted') await options.onReward?.(event);
  if (event.type === 'vote_voided') await options.onVoteVoided?.(event);
  if (event.type === 'webhook_test') await options.onTest?.(event);
}

function refusal({ reason, message }: { reason: WebhookRefusalReason; message: string }): Problem {
  return { status: REFUSAL_STATUS[reason], code: reason, message };
}

/** The sender learns that something failed, not what: that may hold secrets. */
function failure(error: unknown): Problem {
  const message = 'The receiver failed while it handled this event; its own log says why.';
  return { status: 500, code: 'HANDLER_FAILED', message, error };
}

/** Refusals are not printed unless somebody asks for them: any stranger can cause as many as they like. */
function report(problem: Problem, { onError }: WebhookHandlerOptions): Problem {
  const { status, code, message, error } = problem;
  try {
    if (onError) onError(error ?? new VotaryError(code, message, { status }));
    else if (error !== undefined) console.error('A Votary webhook could not be handled:', error);
  } catch {
    // A log that fails must not keep the service waiting for its answer.
  }
  return problem;
}
