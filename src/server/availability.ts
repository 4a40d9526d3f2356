import { HttpError } from './http/errors.ts';

/** Whether a server can answer: not everything while it starts, and nothing once its data folder has gone. */
export class Availability {
  #isStarting = true;
  #hasFolder = true;
  #isEnding = false;

  /** Everything is mounted. */
  setStarted(): void {
    this.#isStarting = false;
  }

  /** Requests are for other servers. */
  setEnding(): void {
    this.#isEnding = true;
  }

  /** Nothing can be stored anymore. */
  setFolderGone(): void {
    this.#hasFolder = false;
  }

  /** For what no endpoint answers yet: tracing clients take a 404 as permanent, and try again after this. @throws HttpError 503 */
  checkStarted(): void {
    if (!this.#isStarting) return;
    throw new HttpError(503, 'The server is starting. Try again.', { 'retry-after': '1' });
  }

  /** Whether a load balancer should send requests here. @throws HttpError 503 */
  checkReady(): void {
    this.checkStarted();
    if (this.#isEnding)
      throw new HttpError(503, 'This server is about to end. Send requests to another one.', {
        'retry-after': '1',
      });
  }

  /** @throws HttpError 507 */
  checkFolder(): void {
    if (this.#hasFolder) return;
    throw new HttpError(507, 'The data folder was deleted. Nothing was stored, and the server is stopping.');
  }
}
