import type { CallbackManager } from '@langchain/core/callbacks/manager';

type ManagerClass = typeof CallbackManager;

/** Classes that have been patched. */
const patched = new WeakSet<ManagerClass>();

/**
 * Makes LangChain's callback manager copy its metadata in one step, with the same result. LangChain adds
 * entries one by one and copies the whole object each time, which takes seconds per superstep with a thousand
 * entries.
 */
export function copyMetadataAtOnce(module: Readonly<Record<string, unknown>>): void {
  const { CallbackManager } = module;
  if (!isManagerClass(CallbackManager) || patched.has(CallbackManager)) return;
  patched.add(CallbackManager);
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
