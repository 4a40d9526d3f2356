import { isRecord } from '../langgraph-types.ts';
import { pairsOf, readHeaders } from './dispatch-options.ts';
import type { KeptResponse, Recorded } from './exchanges.ts';
import type { RecordedResponse } from './recorded-response.ts';

/**
 * Who asks undici is told of the answer by a handler. Those of version 7 are told with `onRequestStart` and what follows,
 * those before with `onConnect`; version 7 knows both.
 */
type Told = Readonly<Record<string, (...args: unknown[]) => void>>;

/** The same handler; what it is told is kept, too. */
export function keepAnswer(handler: object, recorded: Recorded): object {
  let kept: KeptResponse | undefined;
  const begin = (status: unknown, headers: [string, string][]) => {
    if (typeof status === 'number' && status >= 200) kept = recorded.answered(status, headers);
  };
  const add = (piece: unknown) => (piece instanceof Uint8Array ? kept?.add(piece) : undefined);
  /** More is read when what is too much to hold has been stored. */
  const addOn = (controller: unknown, piece: unknown) => {
    const stored = add(piece);
    if (stored === undefined || !isRecord(controller)) return;
    tell(controller, 'pause');
    void stored.then(() => tell(controller, 'resume'));
  };
  const end = () => kept?.end();
  const fail = (error: unknown) => (kept === undefined ? recorded.failed(error) : kept.cut(error));
  const told: Told = isModern(handler)
    ? {
        onResponseStart: (_controller, status, headers) => begin(status, readHeaders(headers)),
        onResponseData: addOn,
        onResponseEnd: end,
        onResponseError: (_controller, error) => fail(error),
      }
    : {
        onHeaders: (status, headers) => begin(status, Array.isArray(headers) ? pairsOf(headers) : []),
        onData: (piece) => void add(piece),
        onComplete: end,
        onError: fail,
      };
  return new Proxy(handler, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      const seen = typeof key === 'string' && Object.hasOwn(told, key) ? told[key] : undefined;
      if (typeof value !== 'function') return seen ?? value;
      return (...args: unknown[]) => {
        seen?.(...args);
        return Reflect.apply(value, target, args);
      };
    },
  });
}

/** Tells a handler a recorded answer, in the pieces that it came in. */
export async function playAnswer(handler: object, recorded: RecordedResponse): Promise<void> {
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

/** A reader that may be slow, or leave. */
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

  /** @throws why the reader left. */
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
