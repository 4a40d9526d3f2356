import { HttpError } from '../http/errors.ts';
import type { DeploymentRuntime } from '../runtimes/deployment-runtime.ts';
import type { StateDatabase } from '../storage/state-database.ts';

/** Whether a load balancer should send requests to this server. */
export class Readiness {
  readonly #db: Pick<StateDatabase, 'checkReachable'>;
  readonly #runtime: Pick<DeploymentRuntime, 'state' | 'hasServed'> | undefined;
  #hasEnded = false;

  /** @param runtime whose graphs must be loaded; undefined where they run on other servers. */
  constructor(
    db: Pick<StateDatabase, 'checkReachable'>,
    runtime: Pick<DeploymentRuntime, 'state' | 'hasServed'> | undefined,
  ) {
    this.#db = db;
    this.#runtime = runtime;
  }

  /** The server is about to end. */
  end(): void {
    this.#hasEnded = true;
  }

  /** @throws HttpError 503, DatabaseUnreachable */
  check(): void {
    if (this.#hasEnded) throw unready('This server is about to end. Send requests to another one.');
    const state = this.#runtime?.state;
    if (state?.state === 'failed') throw unready(`The graphs do not load: ${state.message}`);
    // Requests wait for graphs that wake up.
    if (state?.state === 'starting' && this.#runtime?.hasServed === false)
      throw unready('The graphs are being loaded.');
    this.#db.checkReachable();
  }
}

function unready(detail: string): HttpError {
  return new HttpError(503, detail, { 'retry-after': '1' });
}
