import { isRecord } from '../langgraph-types.ts';
import { Backpressure } from './backpressure.ts';
import { pairsOf, readHeaders } from './dispatch-options.ts';
import type { Recorded, ResponseRecorder } from './exchanges.ts';
import type { RecordedResponse } from './recorded-response.ts';

/**
 * undici reports the answer to its caller through a handler. Handlers of version 7 are called with
 * `onRequestStart` and what follows, earlier ones with `onConnect`; version 7 knows both.
 */
type HandlerMethods = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** Wraps a handler: the answer is also recorded, and reaches the handler no faster than it is stored. */
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
  const passOn = (name: string, args: readonly unknown[]) => tell(handler, name, ...args);
  const methods: HandlerMethods = isModern(handler)
    ? {
        onResponseStart: (controller, status, headers, ...rest) => {
          begin(status, readHeaders(headers));
          send = () => tell(Object(controller), 'resume');
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
          tell(Object(controller), 'pause');
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

/** The controller of a request, whose reader continues when the data it has read is stored. */
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

/** Tells a handler that there is no answer. */
export function failAnswer(handler: object, error: unknown): void {
  (isModern(handler) ? playModern(handler, new Flow()) : playLegacy(handler, new Flow())).fail(error);
}

/** A reader that may be slow, or stop. */
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

  /** @throws the reason why the reader stopped. */
  async ready(): Promise<void> {
    await this.#paused?.promise;
    if (this.#left !== undefined) throw this.#left.reason;
  }
}

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
      tell(handler, 'onRequestStart', controller, {});
      tell(handler, 'onResponseStart', controller, status, toObject(headers), '');
    },
    data: (piece) => tell(handler, 'onResponseData', controller, piece),
    end: () => tell(handler, 'onResponseEnd', controller, {}),
    fail: (error) => tell(handler, 'onResponseError', controller, error),
  };
}

function playLegacy(handler: object, flow: Flow): Player {
  const pauseOn = (goesOn: unknown) => {
    if (goesOn === false) flow.pause();
  };
  return {
    start: ({ status, headers }) => {
      tell(handler, 'onConnect', (reason: unknown) => flow.abort(reason), null);
      const raw = headers.flat().map((text) => Buffer.from(text, 'latin1'));
      pauseOn(tell(handler, 'onHeaders', status, raw, () => flow.resume(), ''));
    },
    data: (piece) => pauseOn(tell(handler, 'onData', piece)),
    end: () => tell(handler, 'onComplete', []),
    fail: (error) => tell(handler, 'onError', error),
  };
}

function isModern(handler: object): boolean {
  return 'onRequestStart' in handler;
}

function tell(handler: object, name: string, ...args: unknown[]): unknown {
  const told: unknown = Reflect.get(handler, name);
  return typeof told === 'function' ? Reflect.apply(told, handler, args) : undefined;
}

function toObject(headers: readonly (readonly string[])[]): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {};
  for (const [name = '', value = ''] of headers) {
    const known = object[name];
    object[name] = known === undefined ? value : [known, value].flat();
  }
  return object;
}
