import crypto from 'node:crypto';
import module from 'node:module';
import type { Exchanges } from './exchanges.ts';
import { currentPlace } from './place.ts';

/**
 * Random values of recorded runs are the same in a replay: `Math.random()` and `crypto.randomUUID()`, from which
 * LangGraph makes the ids of messages. It has to stand there before the project's code is loaded, which may keep the
 * functions. What secrets are made of is left unchanged.
 */
export function gateRandom(exchanges: Exchanges): void {
  const random = Math.random;
  Math.random = () => {
    const run = exchanges.current;
    return run === undefined ? random() : run.randomNumber(currentPlace());
  };
  const randomUuid = crypto.randomUUID;
  const gated: typeof randomUuid = (options) => {
    const run = exchanges.current;
    return run === undefined || isForSpan() ? randomUuid(options) : run.randomUuid('uuid', currentPlace());
  };
  crypto.randomUUID = gated;
  // It belongs to the prototype, where `this` is checked.
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: () => gated(), configurable: true });
  module.syncBuiltinESMExports();
}

/** Whether LangChain names a span, as its versions before 1.1 do: two traces cannot have the same. */
function isForSpan(): boolean {
  const { prepareStackTrace } = Error;
  // Only the files, without their source maps: a run draws dozens.
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName()).join('\n');
  try {
    return /@langchain[\\/]core[\\/]dist[\\/]callbacks[\\/]/.test(new Error().stack ?? '');
  } finally {
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
  }
}
