import { isRecord } from '../langgraph-types.ts';
import { Backpressure } from './backpressure.ts';
import { pairsOf, readHeaders } from './dispatch-options.ts';
import type { Recorded, ResponseRecorder } from './exchanges.ts';
import { call, isModern } from './handler-methods.ts';
import { viewWith } from './object-view.ts';

/** Methods of a handler, by name; see `isModern`. */
type HandlerMethods = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/**
 * Wraps a handler so that the response is also recorded, and reaches the handler no faster than it is stored.
 */
export function recordAnswer(handler: object, recorded: Recorded): object {
  const recording = new AnswerRecording(handler, recorded);
  return viewWith(handler, isModern(handler) ? modernMethods(recording) : legacyMethods(recording));
}

/** The recording of a response while a handler receives it. */
class AnswerRecording {
  readonly #handler: object;
  readonly #recorded: Recorded;
  #recorder: ResponseRecorder | undefined;
  /** Lets undici read more of the response. */
  readMore: () => unknown = () => {};
  readonly backpressure = new Backpressure(() => this.readMore());

  constructor(handler: object, recorded: Recorded) {
    this.#handler = handler;
    this.#recorded = recorded;
  }

  /** Called with the status of each response; those below 200 only announce another one. */
  begin(status: unknown, headers: [string, string][]): void {
    if (typeof status === 'number' && status >= 200) {
      this.#recorder = this.#recorded.answered(status, headers);
    }
  }

  /** @returns a promise that resolves when there is room for more; undefined if there already is */
  add(piece: unknown): Promise<void> | undefined {
    return piece instanceof Uint8Array ? this.#recorder?.add(piece) : undefined;
  }

  end(): void {
    this.#recorder?.end();
  }

  fail(error: unknown): void {
    if (this.#recorder === undefined) this.#recorded.failed(error);
    else this.#recorder.cut(error);
  }

  /** Calls the method of the original handler. */
  passOn(method: string, args: readonly unknown[]): unknown {
    return call(this.#handler, method, ...args);
  }
}

function modernMethods(recording: AnswerRecording): HandlerMethods {
  const { backpressure } = recording;
  return {
    onResponseStart: (controller, status, headers, ...rest) => {
      recording.begin(status, readHeaders(headers));
      recording.readMore = () => call(Object(controller), 'resume');
      const held = withBackpressure(controller, backpressure);
      return recording.passOn('onResponseStart', [held, status, headers, ...rest]);
    },
    onResponseData: (controller, piece) => {
      const stored = recording.add(piece);
      const answer = recording.passOn('onResponseData', [withBackpressure(controller, backpressure), piece]);
      if (stored === undefined) return answer;
      backpressure.hold(stored, Reflect.get(Object(controller), 'paused') !== true);
      call(Object(controller), 'pause');
      return answer;
    },
    onResponseEnd: (...args) => {
      recording.end();
      return recording.passOn('onResponseEnd', args);
    },
    onResponseError: (...args) => {
      recording.fail(args[1]);
      return recording.passOn('onResponseError', args);
    },
  };
}

function legacyMethods(recording: AnswerRecording): HandlerMethods {
  const { backpressure } = recording;
  return {
    onHeaders: (status, headers, resume, ...rest) => {
      recording.begin(status, Array.isArray(headers) ? pairsOf(headers) : []);
      if (typeof resume === 'function') recording.readMore = () => Reflect.apply(resume, undefined, []);
      return recording.passOn('onHeaders', [status, headers, () => backpressure.resume(), ...rest]);
    },
    onData: (piece) => {
      const stored = recording.add(piece);
      const hasRoom = recording.passOn('onData', [piece]) !== false;
      if (stored !== undefined) backpressure.hold(stored, hasRoom);
      return hasRoom && !backpressure.isHeld;
    },
    onComplete: (...args) => {
      recording.end();
      return recording.passOn('onComplete', args);
    },
    onError: (...args) => {
      recording.fail(args[0]);
      return recording.passOn('onError', args);
    },
  };
}

/** Wraps a controller so that `resume` waits until the data that was read is stored. */
function withBackpressure(controller: unknown, backpressure: Backpressure): unknown {
  return isRecord(controller) ? viewWith(controller, { resume: () => backpressure.resume() }) : controller;
}
