import type { RunExecuteParams } from '../../protocol/protocol.ts';
import { runInput } from '../context/run-config.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import type { GraphConfig } from '../langgraph-types.ts';
import { runCallbacks } from './run-callbacks.ts';

interface RunnableClass {
  from(run: () => never): { invoke(input: unknown, config: GraphConfig): Promise<unknown> };
}

/**
 * Traces a run whose factory failed, as a root span with the error. Other runs are traced by their graph.
 */
export async function traceFailedFactory(
  params: RunExecuteParams,
  config: GraphConfig,
  langgraph: UserLangGraph,
  thrown: unknown,
): Promise<void> {
  const { RunnableLambda } = await langgraph.importModule('@langchain/core/runnables');
  if (!isRunnableClass(RunnableLambda)) return;
  const { callbacks } = await runCallbacks({ ...params, stream_modes: [] }, langgraph);
  const runName = config.runName ?? params.graph_id;
  const failing = RunnableLambda.from(() => {
    throw thrown;
  });
  await failing
    .invoke(runInput(params, langgraph), {
      ...config,
      ...(callbacks === undefined ? {} : { callbacks }),
      runName,
    })
    // The error is reported as the run's error.
    .catch(() => {});
}

function isRunnableClass(value: unknown): value is RunnableClass {
  return typeof value === 'function' && 'from' in value && typeof value.from === 'function';
}
