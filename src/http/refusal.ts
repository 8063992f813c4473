/** Why a request is refused before it reaches the API or a page. The codes are those of the API's error bodies. */
export type RefusalCode = 'BAD_REQUEST' | 'HTTPS_REQUIRED' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE';

/** Thrown by the hooks of this folder; the API turns it into a response. */
export class HttpRefusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(code);
    this.name = 'HttpRefusal';
    this.code = code;
  }
}
