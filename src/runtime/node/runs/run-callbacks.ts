import type { CallbackManager } from '@langchain/core/callbacks/manager';
import type { RunExecuteParams } from '../../protocol/protocol.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { libraryModes } from '../streams/stream-events.ts';

type ManagerClass = typeof CallbackManager;
type Handler = Parameters<CallbackManager['addHandler']>[0];
type TracerClass = new (fields: { projectName?: string; exampleId?: string }) => Handler;

/** LangGraph's own handler of the stream mode `messages`, by the name it has in every version. */
const MESSAGES_HANDLER = 'StreamMessagesHandler';

/**
 * Makes the callbacks of a run.
 * - A tracer from the user's own SDK, if the spans are not sent where the environment specifies.
 * - A manager that awaits LangGraph's message handler, if messages are streamed. Otherwise, LangChain would
 *   call the handler later, from a queue that it shares with tracing. A node could then end before its tokens
 *   were streamed, and LangGraph would drop them.
 */
export async function runCallbacks(
  { tracer, stream_modes: modes }: RunExecuteParams,
  langgraph: UserLangGraph,
): Promise<{ callbacks?: object }> {
  const tracers = tracer === undefined ? [] : await loadTracers(tracer, langgraph);
  if (!libraryModes(modes).includes('messages')) return tracers.length === 0 ? {} : { callbacks: tracers };
  const { CallbackManager } = await langgraph.importModule('@langchain/core/callbacks/manager');
  if (!isManagerClass(CallbackManager)) throw new Error('@langchain/core has no CallbackManager.');
  const callbacks = awaitingMessages(new CallbackManager());
  for (const one of tracers) callbacks.addHandler(one, true);
  return { callbacks };
}

async function loadTracers(
  { project_name, example_id }: NonNullable<RunExecuteParams['tracer']>,
  langgraph: UserLangGraph,
): Promise<Handler[]> {
  const { LangChainTracer } = await langgraph.importModule('@langchain/core/tracers/tracer_langchain');
  if (!isTracerClass(LangChainTracer)) return [];
  const fields = {
    ...(project_name === undefined ? {} : { projectName: project_name }),
    ...(example_id === undefined ? {} : { exampleId: example_id }),
  };
  return [new LangChainTracer(fields)];
}

/**
 * Makes a manager, and the copies that LangGraph and LangChain make of it, await LangGraph's message handler.
 */
function awaitingMessages(manager: CallbackManager): CallbackManager {
  const { addHandler, copy } = manager;
  manager.addHandler = (handler, inherit) => {
    if (handler.name === MESSAGES_HANDLER) handler.awaitHandlers = true;
    addHandler.call(manager, handler, inherit);
  };
  manager.copy = (...more) => awaitingMessages(copy.apply(manager, more));
  return manager;
}

function isManagerClass(value: unknown): value is ManagerClass {
  return typeof value === 'function';
}

function isTracerClass(value: unknown): value is TracerClass {
  return typeof value === 'function';
}
