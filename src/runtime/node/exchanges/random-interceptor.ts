import crypto from 'node:crypto';
import module from 'node:module';
import type { Exchanges } from './exchanges.ts';
import { currentPlace } from './place.ts';

/**
 * Makes `Math.random()` and `crypto.randomUUID()`, which LangGraph uses for IDs of messages, return the same
 * values in a replay as in the recorded run. It is called before the project's code is loaded, because that
 * code may keep the functions. Functions for secrets are left unchanged.
 */
export function interceptRandom(exchanges: Exchanges): void {
  const random = Math.random;
  Math.random = () => {
    const run = exchanges.current;
    return run === undefined ? random() : run.randomNumber(currentPlace());
  };
  const randomUuid = crypto.randomUUID;
  const intercepted: typeof randomUuid = (options) => {
    const run = exchanges.current;
    return run === undefined || isForSpan() ? randomUuid(options) : run.randomUuid('uuid', currentPlace());
  };
  crypto.randomUUID = intercepted;
  // `globalThis.crypto` inherits the function from a prototype that checks `this`.
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: () => intercepted(), configurable: true });
  module.syncBuiltinESMExports();
}

/**
 * Whether `crypto.randomUUID()` is called by LangChain before 1.1 for the ID of a span, which must be
 * unique.
 */
function isForSpan(): boolean {
  const { prepareStackTrace } = Error;
  // The stack has only file names, and no source maps are applied, because this function is called dozens of
  // times in a run.
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName()).join('\n');
  try {
    return /@langchain[\\/]core[\\/]dist[\\/]callbacks[\\/]/.test(new Error().stack ?? '');
  } finally {
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
  }
}
