/** Every error page and its HTTP status. */
export const PAGE_STATUS = {
  NOT_FOUND: 404,
  GUILD_NOT_FOUND: 404,
  FORBIDDEN: 403,
  SANCTIONED: 403,
  OPERATORS_ONLY: 403,
  STALE_FORM: 403,
  CROSS_SITE_FORM: 403,
  BAD_EXTERNAL_ID: 400,
  BAD_RETURN_ADDRESS: 400,
  LINK_NOT_SIGNED: 400,
  LINK_SIGNATURE_WRONG: 400,
  LINK_EXPIRED: 400,
  BAD_FORM: 400,
  DOWNLOAD_RUNNING: 429,
  TOO_MANY_STREAMS: 429,
  TOO_MANY_TESTS: 429,
  TOO_MANY_RESENDS: 429,
  TOO_MANY_REPLAYS: 429,
  TOO_MANY_REVEALS: 429,
  TOO_MANY_ENDPOINTS: 429,
  TOO_MANY_CHANGES: 429,
  FORM_TOO_LARGE: 413,
  SIGN_IN_DENIED: 403,
  SIGN_IN_STALE: 400,
  SIGN_IN_UNAVAILABLE: 502,
  SIGN_IN_PAUSED: 503,
  TOO_MANY_SIGN_INS: 429,
  SIGN_IN_NOT_CONFIGURED: 503,
  SIGN_IN_ENDED: 401,
  DEMO_FROM_OUTSIDE: 403,
  UNAVAILABLE: 503,
  MAINTENANCE: 503,
  BROKEN: 500,
} as const;

export type PageFault = keyof typeof PAGE_STATUS;

/** The status after an accepted form: the browser loads the next page with GET. */
export const SEE_OTHER_STATUS = 303;

/** A user error that has its own page, rendered in pages.ts. */
export class PageError extends Error {
  readonly fault: PageFault;
  /** For a temporary error: how long to wait before trying again. */
  readonly retryAfterSeconds: number | undefined;

  /** What the operator says about it. */
  readonly note: string | undefined;

  constructor(fault: PageFault, options: ErrorOptions & { retryAfterSeconds?: number; note?: string } = {}) {
    super(fault, options);
    this.name = 'PageError';
    this.fault = fault;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.note = options.note;
  }
}

/** `action` labels a button that resolves the error; most errors only have the link back. */
export type FaultText = { title: string; text: string; action?: string; back: string; requestId: string };

export type PageText = Omit<FaultText, 'back' | 'requestId'>;
