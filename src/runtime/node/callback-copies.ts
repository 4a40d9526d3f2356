import type { CallbackManager } from '@langchain/core/callbacks/manager';

type ManagerClass = typeof CallbackManager;

/** Classes whose copies are mended. */
const mended = new WeakSet<ManagerClass>();

/**
 * Lets copies of LangChain's callback manager, which every step of a graph makes several of, take over metadata at once.
 * LangChain adds it entry by entry, and for each makes the whole of it anew: a step of a run with a thousand entries takes
 * seconds. What a copy has is the same.
 */
export function copyMetadataAtOnce(module: Readonly<Record<string, unknown>>): void {
  const { CallbackManager } = module;
  if (!isManagerClass(CallbackManager) || mended.has(CallbackManager)) return;
  mended.add(CallbackManager);
  const { copy } = CallbackManager.prototype;
  CallbackManager.prototype.copy = function (...given) {
    const { metadata, inheritableMetadata } = this;
    this.metadata = {};
    try {
      const made = copy.apply(this, given);
      const isInherited = ([name]: [string, unknown]) => Object.hasOwn(inheritableMetadata, name);
      made.metadata = { ...metadata };
      made.inheritableMetadata = Object.fromEntries(Object.entries(metadata).filter(isInherited));
      return made;
    } finally {
      this.metadata = metadata;
    }
  };
}

function isManagerClass(value: unknown): value is ManagerClass {
  return typeof value === 'function' && typeof value.prototype?.copy === 'function';
}
