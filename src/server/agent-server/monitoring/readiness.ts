import { HttpError } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { StateDatabase } from '../../storage/state-database.ts';

export interface ReadinessOptions {
  readonly db: Pick<StateDatabase, 'checkReachable'>;
  /** The runtime whose graphs must be loaded; undefined if they run on other servers. */
  readonly runtime: Pick<DeploymentRuntime, 'state' | 'hasServed'> | undefined;
  /** @throws HttpError 503 */
  readonly tracing: { checkReady(): void };
}

/** Decides whether a load balancer should send requests to this server. */
export class Readiness {
  readonly #options: ReadinessOptions;
  /** Whether the server is about to stop. */
  #isEnding = false;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Called when the server is about to end. */
  end(): void {
    this.#isEnding = true;
  }

  /** @throws HttpError 503 or DatabaseUnreachable if the server is not ready */
  check(): void {
    const { db, runtime, tracing } = this.#options;
    if (this.#isEnding) throw unready('This server is about to stop. Send requests to another one.');
    const state = runtime?.state;
    if (state?.state === 'failed') throw unready(`The graphs do not load: ${state.message}`);
    // Requests wait for graphs that are waking up.
    if (state?.state === 'starting' && runtime?.hasServed === false)
      throw unready('The graphs are being loaded.');
    db.checkReachable();
    tracing.checkReady();
  }
}

function unready(detail: string): HttpError {
  return new HttpError(503, detail, { 'retry-after': '1' });
}
