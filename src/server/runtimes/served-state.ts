import type { BlockingCall, RuntimeState } from '../../contract/harbor.ts';
import { messageOf } from '../../process/message-of.ts';
import { ProjectError } from './project/project.ts';

/** The maximum number of blocking calls in the state. */
const MAX_BLOCKING = 50;

/** The state of a deployment's graphs. Reports every change. */
export class ServedState {
  readonly #tell: (state: RuntimeState) => void;
  #state: RuntimeState = { state: 'stopped' };
  #hasServed = false;
  #failedAt = 0;

  constructor(tell: (state: RuntimeState) => void) {
    this.#tell = tell;
  }

  get now(): RuntimeState {
    return this.#state;
  }

  /** Whether the runtime has ever been ready for requests, awake or asleep. */
  get hasServed(): boolean {
    return this.#hasServed;
  }

  /** Whether loading failed within the last `ms` milliseconds. */
  hasJustFailed(ms: number): boolean {
    return this.#state.state === 'failed' && performance.now() - this.#failedAt < ms;
  }

  set(state: RuntimeState): void {
    this.#state = state;
    this.#hasServed ||= state.state === 'ready' || state.state === 'stopped';
    this.#tell(state);
  }

  fail(error: unknown): void {
    this.#failedAt = performance.now();
    const place = error instanceof ProjectError ? error.location : undefined;
    this.set({
      state: 'failed',
      message: messageOf(error),
      ...(place === undefined ? {} : { location: place }),
    });
  }

  /** Called when the user's code has blocked its event loop. Reloading the graphs clears the report. */
  noteBlocking(call: BlockingCall): void {
    if (this.#state.state !== 'ready') return;
    const { blocking = [] } = this.#state;
    const isKnown = blocking.some(({ file, line }) => file === call.file && line === call.line);
    if (isKnown || blocking.length >= MAX_BLOCKING) return;
    this.set({ ...this.#state, blocking: [...blocking, call] });
  }
}
