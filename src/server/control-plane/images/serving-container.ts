import type { Backend } from './forward-request.ts';

/** A container whose server responds. */
export interface ServingContainer extends Backend {
  /** Resolves when the container has ended, with a sentence about the reason and the last lines of its output. */
  readonly exited: Promise<string>;
  /** Whether requests are in progress. */
  readonly isBusy: boolean;
  /** Milliseconds since the last request ended; 0 while there is one. */
  readonly idleMs: number;
  /** Counts a request that is sent to the container. @returns a function to call when the request has ended. */
  take(): () => void;
  /** Stops the container, by force if necessary, and removes it. Its named volumes stay. */
  stop(): Promise<void>;
}

/** A container for a request. The request counts as in progress until `release` is called. */
export interface TakenContainer {
  readonly container: ServingContainer;
  readonly release: () => void;
}
