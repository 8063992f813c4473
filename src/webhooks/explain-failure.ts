import { ForbiddenAddressError } from './resolve.ts';

const MAX_LENGTH = 200;

const REASONS = new Map([
  ['ECONNREFUSED', 'the connection was refused; is the receiver running?'],
  ['ECONNRESET', 'the connection was closed before an answer came'],
  ['EPIPE', 'the connection was closed before an answer came'],
  ['ENOTFOUND', 'the host name is not known'],
  ['EAI_AGAIN', 'the host name could not be resolved'],
  ['ETIMEOUT', 'the host name could not be resolved within 2 seconds'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ETIMEDOUT', 'the host does not answer'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate is self-signed'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host name'],
]);

/** Why no answer came, in words for the person who reads the delivery log. */
export function explainFailure(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return error.message;
  const cause = firstOf(error);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = cause instanceof Error ? cause.message : String(cause);
  return (REASONS.get(code) ?? message).slice(0, MAX_LENGTH);
}

/** When several addresses of a name were tried, each failed. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}
