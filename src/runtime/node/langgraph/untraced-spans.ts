import type { AsyncLocalStorage } from 'node:async_hooks';
import { isRecord } from '../langgraph-types.ts';

/** The key under which LangChain keeps the config of the running code, in the span of that code. */
const CONFIG = Symbol.for('lc:child_config');
/** The key under which LangChain keeps the context variables of the running code, in the same span. */
const VARIABLES = Symbol.for('lc:context_variables');
/** The fields that every deferred span has as its own properties. */
const OWN = new Set(['extra', 'tracingEnabled']);
/** Marks spans that are deferred. */
const DEFERRED = Symbol('deferred');
/** The name of LangChain's tracer, in every version. */
const TRACER = 'langchain_tracer';
/** The method by which LangSmith recognizes a span. LangSmith reads it before it copies a span. */
const MARK = 'postRun';

/** The part of `@langchain/core/singletons` that is used. */
interface ConfigStorage {
  getInstance(): AsyncLocalStorage<unknown>;
  runWithConfig(config: unknown, callback: () => unknown, withoutSpan?: boolean): unknown;
}

const patched = new WeakSet<ConfigStorage>();

/**
 * Defers the creation of spans for untraced calls until something reads them. LangChain creates a span for
 * each call even without tracing, only to carry the call's config. Creating their IDs, times and settings
 * took an eighth of the time of a short run.
 *
 * @param module `@langchain/core/singletons` of the user's LangGraph.
 */
export function deferUntracedSpans(module: Readonly<Record<string, unknown>>): void {
  const storage = module.AsyncLocalStorageProviderSingleton;
  if (!isConfigStorage(storage) || patched.has(storage)) return;
  patched.add(storage);
  const { runWithConfig } = storage;
  const makeSpan = () => runWithConfig.call(storage, undefined, () => storage.getInstance().getStore());
  let prototype: object | undefined;
  const runDeferred = (config: unknown, callback: () => unknown): unknown => {
    prototype ??= makeDeferredPrototype(makeSpan);
    // There are no spans before LangGraph has set the storage, and other versions may keep the config
    // elsewhere.
    if (prototype === undefined) return runWithConfig.call(storage, config, callback);
    const instance = storage.getInstance();
    const current = instance.getStore();
    const span = Object.create(prototype);
    span.extra = { metadata: {}, [CONFIG]: config };
    span.tracingEnabled = false;
    const variables: unknown = isRecord(current) ? Reflect.get(current, VARIABLES) : undefined;
    if (variables !== undefined) span[VARIABLES] = variables;
    return instance.run(span, callback);
  };
  storage.runWithConfig = function (config, callback, withoutSpan) {
    if (withoutSpan === true) return runWithConfig.call(this, config, callback, true);
    const around = this.getInstance().getStore();
    // A call within untraced code is untraced, too, unless its own config has a tracer.
    if (isUntraced(around) && !hasTracer(config)) return runDeferred(config, callback);
    const deferIfUntraced = () => {
      const current = this.getInstance().getStore();
      return isRecord(current) && 'createChild' in current ? callback() : runDeferred(config, callback);
    };
    return runWithConfig.call(this, config, deferIfUntraced, true);
  };
}

/**
 * Makes the prototype of deferred spans, whose fields are all created when one of them is read.
 * @returns undefined for versions of LangChain with other spans
 */
function makeDeferredPrototype(makeSpan: () => unknown): object | undefined {
  const sample = makeSpan();
  if (!isRecord(sample) || !isRecord(sample.extra) || !(CONFIG in sample.extra)) return undefined;
  const inherited: object = Object.getPrototypeOf(sample);
  const names = Object.keys(sample).filter((name) => !OWN.has(name));
  const createFields = (span: object): void => {
    const made = Object(makeSpan());
    for (const name of names)
      if (!Object.hasOwn(span, name)) Object.defineProperty(span, name, field(made[name]));
    Object.defineProperty(span, MARK, { ...field(Reflect.get(inherited, MARK)), enumerable: false });
  };
  const prototype: object = Object.create(inherited, { [DEFERRED]: { value: true } });
  for (const name of [...names, MARK]) {
    Object.defineProperty(prototype, name, {
      get(this: object) {
        createFields(this);
        return Reflect.get(this, name);
      },
      set(this: object, value: unknown) {
        createFields(this);
        Reflect.set(this, name, value);
      },
    });
  }
  return prototype;
}

function field(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true };
}

/** Whether a span is deferred and is still not to be sent. */
function isUntraced(span: unknown): boolean {
  return isRecord(span) && DEFERRED in span && span.tracingEnabled === false;
}

/** Whether a config contains LangChain's tracer, so that the call is traced regardless of the environment. */
function hasTracer(config: unknown): boolean {
  const callbacks = isRecord(config) ? config.callbacks : undefined;
  const handlers = isRecord(callbacks) && 'handlers' in callbacks ? callbacks.handlers : callbacks;
  return Array.isArray(handlers) && handlers.some((handler) => isRecord(handler) && handler.name === TRACER);
}

function isConfigStorage(value: unknown): value is ConfigStorage {
  return (
    isRecord(value) && typeof value.getInstance === 'function' && typeof value.runWithConfig === 'function'
  );
}
