import { isRecord } from '../langgraph-types.ts';
import type { CappedRun } from './cost-caps.ts';

/** Classes that are watched. */
const watched = new WeakSet<object>();

/** The position of the options, which contain a model's parameters, among the arguments of both methods. */
const OPTIONS = 4;

/**
 * Watches every model call: LangChain calls the callback manager before each of them. A call that is refused
 * there sends nothing to the model.
 * @param module `@langchain/core/callbacks/manager` of the user's LangGraph.
 * @param current gets the run to which the current code belongs, when it has a cap.
 */
export function watchModels(
  { CallbackManager: managers }: Readonly<Record<string, unknown>>,
  current: () => CappedRun | undefined,
): void {
  if (typeof managers !== 'function' || watched.has(managers)) return;
  watched.add(managers);
  const { prototype }: { prototype: object } = managers;
  for (const method of ['handleChatModelStart', 'handleLLMStart']) {
    const start: unknown = Reflect.get(prototype, method);
    if (typeof start !== 'function') continue;
    Reflect.set(prototype, method, async function (this: object, ...args: unknown[]) {
      const run = current();
      await run?.ask();
      const begun: unknown = await Reflect.apply(start, this, args);
      if (run === undefined || !Array.isArray(begun)) return begun;
      const options = args[OPTIONS];
      for (const one of begun) {
        if (isRecord(one)) run.follow(one, isRecord(options) ? options.invocation_params : undefined);
      }
      return begun;
    });
  }
  // Without callbacks and traces, LangChain makes no manager, whose methods could be watched.
  const configure: unknown = Reflect.get(managers, '_configureSync');
  if (typeof configure !== 'function') return;
  Reflect.set(managers, '_configureSync', function (this: unknown, ...args: unknown[]): unknown {
    const made: unknown = Reflect.apply(configure, this, args);
    return made ?? (current() === undefined ? undefined : Reflect.construct(managers, []));
  });
}
