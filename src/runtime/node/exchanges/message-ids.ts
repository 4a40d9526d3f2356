import { isRecord } from '../langgraph-types.ts';
import type { Exchanges } from './exchanges.ts';
import { currentPlace } from './place.ts';

const patched = new WeakSet<object>();

/**
 * LangChain names messages after the span of their model. In recorded runs they get another name, which is the same in a
 * replay: two spans cannot have one.
 *
 * @param module `@langchain/core/callbacks/manager` of the user's LangGraph.
 */
export function nameMessages(module: Readonly<Record<string, unknown>>, exchanges: Exchanges): void {
  const manager = module.CallbackManager;
  if (typeof manager !== 'function' || patched.has(manager)) return;
  patched.add(manager);
  const { prototype }: { prototype: object } = manager;
  const start: unknown = Reflect.get(prototype, 'handleChatModelStart');
  if (typeof start !== 'function') return;
  Reflect.set(prototype, 'handleChatModelStart', async function (this: object, ...args: unknown[]) {
    const managers: unknown = await Reflect.apply(start, this, args);
    const run = exchanges.current;
    if (run === undefined || !Array.isArray(managers)) return managers;
    return managers.map((one: unknown) =>
      isRecord(one) ? renamed(one, run.randomUuid('message', currentPlace())) : one,
    );
  });
}

/** For those who only read its id; what it does, it does under its own. */
function renamed(manager: object, id: string): object {
  return new Proxy(manager, {
    get(target, key) {
      if (key === 'runId') return id;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
