import { isRecord } from '../langgraph-types.ts';
import { Backpressure } from './backpressure.ts';
import { pairsOf, readHeaders } from './dispatch-options.ts';
import type { Recorded, ResponseRecorder } from './exchanges.ts';
import { call, isModern } from './handler-methods.ts';

/** Methods of a handler, by name; see `isModern`. */
type HandlerMethods = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/**
 * Wraps a handler so that the response is also recorded, and reaches the handler no faster than it is stored.
 */
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
          return passOn('onHeaders', [status, headers, () => backpressure.resume(), ...rest]);
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
      if (key === 'resume') return () => backpressure.resume();
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
