import type { Locale } from '../locale.ts';
import { isRecord } from '../record.ts';
import { type FailureCode, failureMessages } from './failure-messages.ts';

/** Other errors keep the message of Node or OpenSSL. */
export type Failure = FailureCode | `OTHER: ${string}`;

const OTHER = 'OTHER: ';
const MAX_MESSAGE_LENGTH = 200;

function otherFailure(message: string): Failure {
  return `${OTHER}${message.slice(0, MAX_MESSAGE_LENGTH)}`;
}

/** Parses the stored text of a failure. */
export function toFailure(text: string): Failure {
  return isFailureCode(text) ? text : `${OTHER}${withoutPrefix(text)}`;
}

/** The message and its language: messages of Node and OpenSSL are English. */
export function failureText(failure: Failure, locale: Locale): { text: string; language: Locale } {
  if (isFailureCode(failure)) return { text: failureMessages[locale][failure], language: locale };
  return { text: withoutPrefix(failure), language: 'en' };
}

function isFailureCode(text: string): text is FailureCode {
  return Object.hasOwn(failureMessages.en, text);
}

function withoutPrefix(text: string): string {
  return text.startsWith(OTHER) ? text.slice(OTHER.length) : text;
}

/** A failure that we detect ourselves. */
export class DeliveryError extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode) {
    super(code);
    this.name = 'DeliveryError';
    this.code = code;
  }
}

/** The failure for each code that Node, c-ares and OpenSSL give their errors. */
const SYSTEM_CODES: Record<string, FailureCode> = {
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ECONNRESET: 'CONNECTION_CLOSED',
  EPIPE: 'CONNECTION_CLOSED',
  ENOTFOUND: 'HOST_NOT_FOUND',
  EAI_AGAIN: 'HOST_NOT_RESOLVED',
  ETIMEOUT: 'DNS_TIMEOUT',
  EHOSTUNREACH: 'HOST_UNREACHABLE',
  ENETUNREACH: 'NETWORK_UNREACHABLE',
  ETIMEDOUT: 'CONNECTION_TIMEOUT',
  EPROTO: 'NOT_TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'NOT_TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'NOT_TLS',
  HPE_INVALID_CONSTANT: 'NOT_HTTP',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'CERTIFICATE_SELF_SIGNED',
  SELF_SIGNED_CERT_IN_CHAIN: 'CERTIFICATE_SELF_SIGNED',
  UNABLE_TO_GET_ISSUER_CERT: 'CERTIFICATE_UNTRUSTED',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'CERTIFICATE_UNTRUSTED',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'CERTIFICATE_UNTRUSTED',
  CERT_HAS_EXPIRED: 'CERTIFICATE_EXPIRED',
  ERR_TLS_CERT_ALTNAME_INVALID: 'CERTIFICATE_WRONG_HOST',
};

export function failureOf(error: unknown): Failure {
  // When several addresses of a host were tried, each failed.
  const cause: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  if (cause instanceof DeliveryError) return cause.code;
  const { code, message }: Readonly<Record<string, unknown>> = isRecord(cause) ? cause : {};
  return SYSTEM_CODES[String(code)] ?? otherFailure(String(message ?? cause));
}
