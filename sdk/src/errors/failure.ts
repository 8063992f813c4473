import { Fields, isObject, parseJson } from '../fields.ts';
import { VotaryError } from './votary-error.ts';
import { type FieldFault, VotaryValidationError } from './votary-validation-error.ts';

/** Cloudflare's status, also seen by `fetch` on Workers, when the certificate of the origin cannot be verified. */
const UNTRUSTED_ORIGIN = 526;

/** The typed error for a response that is not a success, whatever its body contains. */
export function readFailure(response: Response, text: string): VotaryError {
  const { status } = response;
  if (isRedirect(response)) {
    const target = response.headers.get('location') ?? 'another address';
    return invalidResponse(status, `it redirects to ${target}: set baseUrl to the actual address of the API`);
  }
  if (status === UNTRUSTED_ORIGIN) {
    const why = 'it must be issued by a public authority, be valid today, and list the host name in baseUrl';
    const message = `Cloudflare does not accept the certificate of the service: ${why}`;
    return new VotaryError('CERTIFICATE_ERROR', message, { status });
  }
  const body = parseJson(text);
  const error = isObject(body) ? readErrorBody(body, response) : undefined;
  if (error) return error;
  const retryAfter = readSeconds(response.headers.get('retry-after'));
  if (status === 429) {
    // Proxies have their own limits. For callers they mean the same.
    return new VotaryError(
      'RATE_LIMITED',
      'A proxy rejected the request (too many requests): wait and try again',
      {
        status,
        retryAfter,
      },
    );
  }
  if (isObject(body)) return invalidResponse(status, 'its JSON is not an error of the API', retryAfter);
  if (status === 404) {
    return new VotaryError(
      'NOT_FOUND',
      `There is nothing at ${response.url || 'this address'}: check baseUrl`,
      {
        status,
      },
    );
  }
  const why = 'its body is not JSON: a proxy or another service may have sent it';
  return invalidResponse(status, why, retryAfter);
}

/** With `redirect: 'manual'`, some runtimes return the redirect itself and others an opaque response. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function readErrorBody(body: object, { status, headers }: Response): VotaryError | undefined {
  const faults = readFaults(body);
  if (faults) return new VotaryValidationError(faults, status);
  if (!('error' in body) || typeof body.error !== 'string') return undefined;
  const message = 'message' in body && typeof body.message === 'string' ? body.message : body.error;
  const inBody = 'retry_after' in body ? body.retry_after : undefined;
  return new VotaryError(body.error, message, {
    status,
    retryAfter: readSeconds(inBody ?? headers.get('retry-after')),
    reason: 'reason' in body && typeof body.reason === 'string' ? body.reason : null,
    nextVoteAt: 'next_vote_at' in body ? readDate(body.next_vote_at) : null,
  });
}

function readFaults(body: object): FieldFault[] | undefined {
  if (!('errors' in body) || !Array.isArray(body.errors)) return undefined;
  try {
    return new Fields(body).list('errors', (fault) => ({
      field: fault.text('field'),
      rule: fault.text('rule'),
      message: fault.text('message'),
    }));
  } catch {
    return undefined;
  }
}

function readDate(value: unknown): Date | null {
  const date = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

function readSeconds(value: unknown): number | null {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 ? seconds : null;
}

function invalidResponse(status: number, why: string, retryAfter: number | null = null): VotaryError {
  const message = `The response (HTTP ${status}) is not from the Votary API: ${why}`;
  return new VotaryError('INVALID_RESPONSE', message, { status, retryAfter });
}
