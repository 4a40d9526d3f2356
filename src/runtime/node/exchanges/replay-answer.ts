import { call, isModern } from './handler-methods.ts';
import type { RecordedResponse } from './recorded-response.ts';

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
  #aborted: { reason: unknown } | undefined;

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
    this.#aborted ??= { reason };
    this.resume();
  }

  get isPaused(): boolean {
    return this.#paused !== undefined;
  }

  /** Why the handler aborted the response, if it did. */
  get aborted(): { reason: unknown } | undefined {
    return this.#aborted;
  }

  /**
   * Resolves when the handler no longer pauses the response.
   * @throws the reason why the handler aborted it.
   */
  async ready(): Promise<void> {
    await this.#paused?.promise;
    if (this.#aborted !== undefined) throw this.#aborted.reason;
  }
}

/** Calls the methods of a handler, either the current or the earlier ones (see `isModern`). */
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
      return flow.aborted !== undefined;
    },
    get reason() {
      return flow.aborted?.reason ?? null;
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
  const pauseIfFull = (hasRoom: unknown) => {
    if (hasRoom === false) flow.pause();
  };
  return {
    start: ({ status, headers }) => {
      call(handler, 'onConnect', (reason: unknown) => flow.abort(reason), null);
      const raw = headers.flat().map((text) => Buffer.from(text, 'latin1'));
      pauseIfFull(call(handler, 'onHeaders', status, raw, () => flow.resume(), ''));
    },
    data: (piece) => pauseIfFull(call(handler, 'onData', piece)),
    end: () => call(handler, 'onComplete', []),
    fail: (error) => call(handler, 'onError', error),
  };
}

/** Converts pairs of names and values to an object; a name that occurs more than once has a list. */
function toObject(headers: readonly (readonly string[])[]): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {};
  for (const [name = '', value = ''] of headers) {
    const known = object[name];
    object[name] = known === undefined ? value : [known, value].flat();
  }
  return object;
}
