import type { RunExecuteParams } from '../protocol/protocol.ts';
import type { UserLangGraph } from './user-langgraph.ts';

type TracerClass = new (fields: { projectName?: string; exampleId?: string }) => object;

/** The callbacks of a run whose spans do not go where the environment says: a tracer of the user's own SDK. */
export async function tracers(
  { tracer }: RunExecuteParams,
  langgraph: UserLangGraph,
): Promise<{ callbacks?: object[] }> {
  if (tracer === undefined) return {};
  const { LangChainTracer } = await langgraph.importModule('@langchain/core/tracers/tracer_langchain');
  if (!isTracerClass(LangChainTracer)) return {};
  const fields = {
    ...(tracer.project_name === undefined ? {} : { projectName: tracer.project_name }),
    ...(tracer.example_id === undefined ? {} : { exampleId: tracer.example_id }),
  };
  return { callbacks: [new LangChainTracer(fields)] };
}

function isTracerClass(value: unknown): value is TracerClass {
  return typeof value === 'function';
}
