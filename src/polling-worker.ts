/**
 * A worker that looks for work now and then every few moments, one pass at a time:
 *
 *   class RetentionWorker extends PollingWorker { … }
 *   worker.start();
 *   await worker.stop();
 */
export abstract class PollingWorker {
  readonly #everyMs: number;
  #poll: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Does what is due. Must not reject, and should end soon when `isStopping`. */
  protected abstract pass(): Promise<void>;

  protected get isStopping(): boolean {
    return this.#isStopping;
  }

  start(): void {
    this.#poll ??= setInterval(() => void this.runDue(), this.#everyMs);
    void this.runDue();
  }

  /** Starts nothing new and waits for the pass that is running. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#poll);
    await this.#running;
  }

  /** Resolves at the end of a pass: of the one that is running, or of a new one. Never rejects. */
  runDue(): Promise<void> {
    this.#running ??= this.pass().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
}
