import { ignoreRejection } from '../process/settled.ts';
import { HttpError } from './http/errors.ts';

/**
 * Whether a server can answer requests. While it is starting, some endpoints are not mounted yet; after its data folder has
 * been deleted, it refuses all requests.
 */
export class Availability {
  readonly #started = Promise.withResolvers<void>();
  readonly #asked = Promise.withResolvers<void>();
  #isStarted = false;
  #hasFolder = true;
  #isEnding = false;

  constructor() {
    // Unless a request is waiting, nothing handles the rejection.
    ignoreRejection(this.#started.promise);
  }

  /** Resolves when a request waits for endpoints that are not mounted yet. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  /** Called when everything is mounted. */
  setStarted(): void {
    this.#isStarted = true;
    this.#started.resolve();
  }

  /** Called when the remaining endpoints will never be mounted. Requests that wait for them get a 503. */
  setNeverStarted(): void {
    this.#started.reject(new HttpError(503, 'The server is stopping.', { 'retry-after': '1' }));
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Called when new requests should go to other servers. */
  setEnding(): void {
    this.#isEnding = true;
  }

  /** Called when nothing can be stored any longer. */
  setFolderGone(): void {
    this.#hasFolder = false;
  }

  /**
   * Waits until everything is mounted, because tracing clients take a 404 as permanent.
   * @throws HttpError 503
   */
  async whenStarted(): Promise<void> {
    this.#asked.resolve();
    await this.#started.promise;
  }

  /** Checks whether a load balancer should send requests here. @throws HttpError 503 */
  checkReady(): void {
    if (!this.#isStarted)
      throw new HttpError(503, 'The server is starting. Try again.', { 'retry-after': '1' });
    if (this.#isEnding)
      throw new HttpError(503, 'This server is about to stop. Send requests to another one.', {
        'retry-after': '1',
      });
  }

  /** Refuses requests after the data folder was deleted. @throws HttpError 507 */
  checkFolder(): void {
    if (this.#hasFolder) return;
    throw new HttpError(507, 'The data folder was deleted. Nothing was stored, and the server is stopping.');
  }
}
