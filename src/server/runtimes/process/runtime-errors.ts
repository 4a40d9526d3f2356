/** The deployment cannot run anything at the moment; the message says why. */
export class RuntimeUnavailableError extends Error {
  override readonly name = 'RuntimeUnavailableError';
}

/** A rollout failed; the message says why. */
export class RollOutError extends Error {
  override readonly name = 'RollOutError';
  /** Whether the error is already in the deployment's log. */
  readonly isLogged: boolean;
  constructor(message: string, options: { isLogged?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.isLogged = options.isLogged ?? false;
  }
}

/** The runtime failed before its graphs were loaded. */
export class RuntimeStartError extends Error {
  override readonly name = 'RuntimeStartError';
}

/** The system or another program killed the process, so the graphs are not the cause. */
export class RuntimeKilledError extends RuntimeStartError {}
