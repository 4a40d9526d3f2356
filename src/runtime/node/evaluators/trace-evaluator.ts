import path from 'node:path';
import { findInstalled, importFrom } from '../langgraph/installed-package.ts';
import { isRecord } from '../langgraph-types.ts';
import { findLangChainCore } from './langchain-core.ts';

/** An evaluator's call, and its trace when tracing is on. */
export interface TracedCall {
  call(): Promise<unknown>;
  /** The ID of the trace's root span; undefined until the call has ended, and without tracing. */
  readonly runId: string | undefined;
}

/** The project that LangSmith's `evaluate` sends the traces of evaluators to. */
const PROJECT = 'evaluators';

/**
 * Traces an evaluator as LangSmith's `evaluate` does, with the project's own langsmith, so that the evaluator's model
 * calls are not part of the experiment.
 * @param file the evaluator's module, from which langsmith is looked up.
 * @param name the name of the root span.
 */
export async function traceEvaluator(
  file: string,
  name: string,
  evaluate: () => Promise<unknown>,
): Promise<TracedCall> {
  const core = findLangChainCore(file);
  const from = core === undefined ? file : path.join(core.folder, 'package.json');
  const langsmith = findInstalled('langsmith', file) ?? findInstalled('langsmith', from);
  const { traceable } = langsmith === undefined ? {} : await importFrom(langsmith, './traceable', 'import');
  if (typeof traceable !== 'function') return { call: evaluate, runId: undefined };
  let runId: string | undefined;
  const traced: unknown = traceable(evaluate, {
    project_name: PROJECT,
    name,
    on_end: (runTree: unknown) => {
      if (isRecord(runTree) && typeof runTree.id === 'string') runId = runTree.id;
    },
  });
  return {
    call: typeof traced === 'function' ? async () => traced() : evaluate,
    get runId() {
      return runId;
    },
  };
}
