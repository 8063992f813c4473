import { VotaryError } from './votary-error.ts';

/** Certificate errors of `fetch` in Node and Bun, as OpenSSL names them. */
const CERTIFICATE_CODE =
  /SELF_SIGNED_CERT|^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_)|^(?:HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)$/;

/** For runtimes without error codes: Deno, and libraries passed as `fetch`. */
const CERTIFICATE_MESSAGE =
  /invalid peer certificate|self.signed certificate|certificate (?:has expired|verify failed)/i;

/** The typed error for a `fetch` that got no response. */
export function readNetworkFailure(cause: unknown, baseUrl: string): VotaryError {
  const { code, message } = findOrigin(cause);
  const detail = code ?? message;
  if (code === undefined ? CERTIFICATE_MESSAGE.test(message) : CERTIFICATE_CODE.test(code)) {
    const explanation = `The certificate of ${baseUrl} ${explainCertificate(detail)}`;
    return new VotaryError('CERTIFICATE_ERROR', explanation, { cause });
  }
  return new VotaryError(
    'NETWORK_ERROR',
    `${baseUrl} could not be reached (${detail}): check the address, and that the service is running`,
    { cause },
  );
}

/** Node's own message is only "fetch failed"; the reason is in `cause`. */
function findOrigin(error: unknown): { code: string | undefined; message: string } {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  if (error.cause instanceof Error) return findOrigin(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { code, message: error.message };
}

function explainCertificate(detail: string): string {
  if (/expired|not_yet_valid|not valid yet/i.test(detail)) {
    return `is not valid today (${detail}): renew it on the server, or correct the clock of this machine`;
  }
  if (/altname|hostname_mismatch|not valid for name/i.test(detail)) {
    return `was issued for another name (${detail}): set baseUrl to a name that the certificate lists`;
  }
  const variable = 'Deno' in globalThis ? 'DENO_CERT' : 'NODE_EXTRA_CA_CERTS';
  return (
    `is not trusted (${detail}). If it is self-signed, start your program with ${variable}=/path/to/cert.pem; ` +
    'the demo keeps its certificate in data/tls/cert.pem'
  );
}
