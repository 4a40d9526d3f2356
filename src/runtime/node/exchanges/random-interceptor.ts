import crypto from 'node:crypto';
import module from 'node:module';
import type { Exchanges } from './exchanges.ts';
import { currentPlace } from './place.ts';

/**
 * Random values of recorded runs are the same in a replay: `Math.random()` and `crypto.randomUUID()`, from which
 * LangGraph makes the ids of messages. It must be in place before the project's code is loaded, which may keep the
 * functions. Sources of secrets are left unchanged.
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
  // It belongs to the prototype, whose functions check `this`.
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: () => intercepted(), configurable: true });
  module.syncBuiltinESMExports();
}

/**
 * Whether LangChain asks for the id of a span, as versions before 1.1 do: two traces cannot have the same.
 */
function isForSpan(): boolean {
  const { prepareStackTrace } = Error;
  // Only the files, without source maps, because a run draws dozens of values.
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName()).join('\n');
  try {
    return /@langchain[\\/]core[\\/]dist[\\/]callbacks[\\/]/.test(new Error().stack ?? '');
  } finally {
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
  }
}
