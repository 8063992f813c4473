/**
 * Keeps the certificate of a running server current: reads the files again when they change or on request, and warns
 * before the certificate expires. Open connections are not affected.
 */
import { X509Certificate } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:https';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type Clock, DAY_MS, formatInstant, type Instant, SECOND_MS } from '../domain/clock.ts';
import { type Certificate, loadCertificate, tlsOptions } from './certificate.ts';

const WARN_BEFORE_MS = 14 * DAY_MS;
const CHECK_EVERY_MS = 5 * SECOND_MS;

export type RenewalOptions = {
  config: Config;
  clock: Clock;
  logger: Logger;
  server: Pick<Server, 'setSecureContext'>;
  certificate: Certificate;
  checkEveryMs?: number;
};

export class CertificateRenewal {
  readonly #options: RenewalOptions;
  readonly #daily: NodeJS.Timeout;
  #expiresAt: Instant;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#expiresAt = expiryOf(options.certificate);
    this.#warnIfNear();
    this.#daily = setInterval(() => this.#warnIfNear(), DAY_MS).unref();
    for (const file of this.#files()) {
      watchFile(
        file,
        { interval: options.checkEveryMs ?? CHECK_EVERY_MS, persistent: false },
        this.#onChange,
      );
    }
  }

  get expiresAt(): Instant {
    return this.#expiresAt;
  }

  /** Never rejects: if the files cannot be used, the current certificate stays in use. */
  async reload(): Promise<void> {
    const { config, clock, logger, server } = this.#options;
    try {
      const certificate = await loadCertificate(config, clock());
      server.setSecureContext(tlsOptions(certificate));
      this.#expiresAt = expiryOf(certificate);
      logger.info({ expires: formatInstant(this.#expiresAt) }, 'certificate loaded');
      this.#warnIfNear();
    } catch (error) {
      logger.error({ err: error }, 'the certificate cannot be loaded; the current one stays in use');
    }
  }

  stop(): void {
    clearInterval(this.#daily);
    for (const file of this.#files()) unwatchFile(file, this.#onChange);
  }

  /** Certificate and key are replaced one after the other; both are in place at the last change. */
  readonly #onChange = (): void => {
    void this.reload();
  };

  #files(): string[] {
    const { tlsFiles } = this.#options.config;
    return tlsFiles === null ? [] : [tlsFiles.cert, tlsFiles.key];
  }

  #warnIfNear(): void {
    const { clock, logger } = this.#options;
    const left = this.#expiresAt - clock();
    const expires = formatInstant(this.#expiresAt);
    if (left <= 0) logger.error({ expires }, 'the certificate has expired');
    else if (left < WARN_BEFORE_MS) logger.warn({ expires }, 'the certificate expires soon');
  }
}

function expiryOf({ cert }: Certificate): Instant {
  return new X509Certificate(cert).validToDate.getTime();
}
