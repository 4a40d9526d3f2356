import { isRecord } from '../langgraph-types.ts';
import { Backpressure } from './backpressure.ts';
import { pairsOf, readHeaders } from './dispatch-options.ts';
import type { Recorded, ResponseRecorder } from './exchanges.ts';
import type { RecordedResponse } from './recorded-response.ts';

/**
 * The methods of a handler, through which undici passes a response to its caller. Version 7 introduced `onRequestStart`,
 * `onResponseStart` and so on. It still supports the earlier methods: `onConnect`, `onHeaders` and so on.
 */
type HandlerMethods = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** Wraps a handler so that the response is also recorded, and reaches the handler no faster than it is stored. */
export function recordAnswer(handler: object, recorded: Recorded): object {
  let recorder: ResponseRecorder | undefined;
  let send = () => {};
  const backpressure = new Backpressure(() => send());
  const begin = (status: unknown, headers: [string, string][]) => {
    if (typeof status === 'number' && status >= 200) recorder = recorded.answered(status, headers);
  };
  const add = (piece: unknown) => (piece instanceof Uint8Array ? recorder?.add(piece) : undefined);
  const end = () => recorder?.end();
  const fail = (error: unknown) => (recorder === undefined ? recorded.failed(error) : recorder.cut(error));
  const passOn = (name: string, args: readonly unknown[]) => call(handler, name, ...args);
  const methods: HandlerMethods = isModern(handler)
    ? {
        onResponseStart: (controller, status, headers, ...rest) => {
          begin(status, readHeaders(headers));
          send = () => call(Object(controller), 'resume');
          return passOn('onResponseStart', [
            withBackpressure(controller, backpressure),
            status,
            headers,
            ...rest,
          ]);
        },
        onResponseData: (controller, piece) => {
          const stored = add(piece);
          const answer = passOn('onResponseData', [withBackpressure(controller, backpressure), piece]);
          if (stored === undefined) return answer;
          backpressure.hold(stored, Reflect.get(Object(controller), 'paused') !== true);
          call(Object(controller), 'pause');
          return answer;
        },
        onResponseEnd: (...args) => {
          end();
          return passOn('onResponseEnd', args);
        },
        onResponseError: (...args) => {
          fail(args[1]);
          return passOn('onResponseError', args);
        },
      }
    : {
        onHeaders: (status, headers, resume, ...rest) => {
          begin(status, Array.isArray(headers) ? pairsOf(headers) : []);
          if (typeof resume === 'function') send = () => Reflect.apply(resume, undefined, []);
          return passOn('onHeaders', [status, headers, () => backpressure.release(), ...rest]);
        },
        onData: (piece) => {
          const stored = add(piece);
          const hasRoom = passOn('onData', [piece]) !== false;
          if (stored !== undefined) backpressure.hold(stored, hasRoom);
          return hasRoom && !backpressure.isHeld;
        },
        onComplete: (...args) => {
          end();
          return passOn('onComplete', args);
        },
        onError: (...args) => {
          fail(args[0]);
          return passOn('onError', args);
        },
      };
  return new Proxy(handler, {
    get(target, key) {
      if (typeof key === 'string' && Object.hasOwn(methods, key)) return methods[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Wraps a controller so that `resume` waits until the data that was read is stored. */
function withBackpressure(controller: unknown, backpressure: Backpressure): unknown {
  if (!isRecord(controller)) return controller;
  return new Proxy(controller, {
    get(target, key) {
      if (key === 'resume') return () => backpressure.release();
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Passes a recorded answer to a handler, in its original pieces. */
export async function replayAnswer(handler: object, recorded: RecordedResponse): Promise<void> {
  const flow = new Flow();
  const player = isModern(handler) ? playModern(handler, flow) : playLegacy(handler, flow);
  try {
    player.start(recorded);
    for await (const piece of recorded.pieces()) {
      await flow.ready();
      player.data(Buffer.from(piece));
    }
    await flow.ready();
    player.end();
  } catch (error) {
    player.fail(error);
  }
}

/** Tells a handler that its request failed. */
export function failAnswer(handler: object, error: unknown): void {
  (isModern(handler) ? playModern(handler, new Flow()) : playLegacy(handler, new Flow())).fail(error);
}

/** The state of a handler that may pause or abort its response. */
class Flow {
  #paused: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #left: { reason: unknown } | undefined;

  pause(): void {
    if (this.#paused !== undefined) return;
    let resolve = () => {};
    const promise = new Promise<void>((resume) => {
      resolve = resume;
    });
    this.#paused = { promise, resolve };
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  abort(reason: unknown): void {
    this.#left ??= { reason };
    this.resume();
  }

  get isPaused(): boolean {
    return this.#paused !== undefined;
  }

  get left(): { reason: unknown } | undefined {
    return this.#left;
  }

  /**
   * Resolves when the handler no longer pauses the response. @throws the reason why the handler aborted it.
   */
  async ready(): Promise<void> {
    await this.#paused?.promise;
    if (this.#left !== undefined) throw this.#left.reason;
  }
}

/** Calls the methods of a handler, either the current or the earlier ones (see `HandlerMethods`). */
interface Player {
  start(recorded: RecordedResponse): void;
  data(piece: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}

function playModern(handler: object, flow: Flow): Player {
  const controller = {
    rawHeaders: null,
    rawTrailers: null,
    pause: () => flow.pause(),
    resume: () => flow.resume(),
    abort: (reason: unknown) => flow.abort(reason),
    get paused() {
      return flow.isPaused;
    },
    get aborted() {
      return flow.left !== undefined;
    },
    get reason() {
      return flow.left?.reason ?? null;
    },
  };
  return {
    start: ({ status, headers }) => {
      call(handler, 'onRequestStart', controller, {});
      call(handler, 'onResponseStart', controller, status, toObject(headers), '');
    },
    data: (piece) => call(handler, 'onResponseData', controller, piece),
    end: () => call(handler, 'onResponseEnd', controller, {}),
    fail: (error) => call(handler, 'onResponseError', controller, error),
  };
}

function playLegacy(handler: object, flow: Flow): Player {
  const pauseOn = (goesOn: unknown) => {
    if (goesOn === false) flow.pause();
  };
  return {
    start: ({ status, headers }) => {
      call(handler, 'onConnect', (reason: unknown) => flow.abort(reason), null);
      const raw = headers.flat().map((text) => Buffer.from(text, 'latin1'));
      pauseOn(call(handler, 'onHeaders', status, raw, () => flow.resume(), ''));
    },
    data: (piece) => pauseOn(call(handler, 'onData', piece)),
    end: () => call(handler, 'onComplete', []),
    fail: (error) => call(handler, 'onError', error),
  };
}

function isModern(handler: object): boolean {
  return 'onRequestStart' in handler;
}

/** Calls a method if there is one. */
function call(object: object, name: string, ...args: unknown[]): unknown {
  const method: unknown = Reflect.get(object, name);
  return typeof method === 'function' ? Reflect.apply(method, object, args) : undefined;
}

function toObject(headers: readonly (readonly string[])[]): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {};
  for (const [name = '', value = ''] of headers) {
    const known = object[name];
    object[name] = known === undefined ? value : [known, value].flat();
  }
  return object;
}
